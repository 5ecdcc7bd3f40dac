// JSON lines: every line that is not blank is a document or a skip, however the file is cut.
#include "corpora/reader/sniff.hpp"
#include "tests/fuzz/support/corpus.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  if (sniff_compression(input.text) != Compression::kNone) return 0;
  const auto found = fuzz::read_in_all_ways(input.text, CorpusFormat::kJsonl, fuzz::document_limit(input.options));
  std::size_t records = 0;
  for (const std::string_view line : fuzz::lines_of(fuzz::without_mark(input.text))) {
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) ++records;
  }
  EXPECT_EQ(found.documents.size() + found.skips.size(), records);
  for (const auto& document : found.documents) {
    EXPECT_FALSE(document.id.empty());
    EXPECT_LE(document.id.size(), kMaxFieldBytes);
  }
  return 0;
}
