// Columns separated by tabs: every line is a document or a skip, and a document has the columns of its line.
#include "corpora/reader/sniff.hpp"
#include "tests/fuzz/support/corpus.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  if (sniff_compression(input.text) != Compression::kNone) return 0;
  const auto found = fuzz::read_in_all_ways(input.text, CorpusFormat::kTsv, fuzz::document_limit(input.options));
  const std::string_view table = fuzz::without_mark(input.text);
  EXPECT_EQ(found.documents.size() + found.skips.size(), fuzz::lines_of(table).size());
  for (const auto& document : found.documents) {
    const std::string_view line = fuzz::lines_of(input.text.substr(document.offset)).front();
    const std::size_t first = line.find('\t'), last = line.rfind('\t');
    EXPECT_EQ(document.id, repair_utf8(line.substr(0, first)));
    EXPECT_EQ(document.text, repair_utf8(line.substr(last + 1)));
    EXPECT_EQ(document.has_title, first != last);
    if (document.has_title) {
      EXPECT_EQ(document.title, repair_utf8(line.substr(first + 1, last - first - 1)));
    }
  }
  return 0;
}
