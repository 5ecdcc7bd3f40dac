// A document a file: the file comes out as its repaired text, or is skipped as binary or too long.
#include "corpora/records/text.hpp"
#include "corpora/reader/sniff.hpp"
#include "tests/fuzz/support/corpus.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  if (sniff_compression(input.text) != Compression::kNone) return 0;
  const std::uint64_t limit = fuzz::document_limit(input.options);
  const auto found = fuzz::read_in_all_ways(input.text, CorpusFormat::kText, limit);
  const std::string_view text = fuzz::without_mark(input.text);
  if (input.text.empty()) {
    EXPECT_EQ(found.documents.size() + found.skips.size(), 0u);
  } else if (looks_binary(input.text.substr(0, kBinarySniffBytes)) || text.size() > limit) {
    EXPECT_EQ(found.documents.size(), 0u);
    EXPECT_EQ(found.skips.size(), 1u);
  } else {
    EXPECT_EQ(found.texts(), std::vector<std::string>{repair_utf8(text)});
  }
  // The format is recognised, or the file is skipped as binary, with the same result in all ways.
  fuzz::read_in_all_ways(input.text, CorpusFormat::kAuto, limit);
  return 0;
}
