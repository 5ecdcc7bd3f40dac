// A document a line: every line comes out as its repaired text, or is skipped as too long.
#include "corpora/reader/sniff.hpp"
#include "tests/fuzz/support/corpus.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  if (sniff_compression(input.text) != Compression::kNone) return 0;
  const std::uint64_t limit = fuzz::document_limit(input.options);
  const auto found = fuzz::read_in_all_ways(input.text, CorpusFormat::kLines, limit);
  const auto lines = fuzz::lines_of(fuzz::without_mark(input.text));
  std::vector<std::string> expected;
  for (const std::string_view line : lines) {
    if (line.size() <= limit) expected.push_back(repair_utf8(line));
  }
  EXPECT_EQ(found.texts(), expected);
  EXPECT_EQ(found.skips.size(), lines.size() - expected.size());
  return 0;
}
