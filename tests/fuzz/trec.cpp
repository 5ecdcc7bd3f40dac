// TREC documents: every <DOC> begins a document or a skip, however the file is cut.
#include "corpora/reader/sniff.hpp"
#include "corpora/records/borders.hpp"
#include "tests/fuzz/support/corpus.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  if (sniff_compression(input.text) != Compression::kNone) return 0;
  const auto found = fuzz::read_in_all_ways(input.text, CorpusFormat::kTrec, fuzz::document_limit(input.options));
  const RecordBorders borders(CorpusFormat::kTrec);
  std::size_t records = 0;
  for (std::size_t at = borders.find(input.text, 0); at != RecordBorders::kNone;
       at = borders.find(input.text, at + 1)) {
    ++records;
  }
  const auto reasons = found.reasons();
  const auto outside = std::count(reasons.begin(), reasons.end(), SkipReason::kOutsideDocument);
  EXPECT_EQ(found.documents.size() + reasons.size() - static_cast<std::size_t>(outside), records);
  for (const auto& document : found.documents) {
    EXPECT_FALSE(document.id.empty());
    EXPECT_EQ(document.id.find('\n'), std::string::npos) << "a field is one line";
  }
  return 0;
}
