// Zip files: the archives in a WACZ give the same documents and skips however they are cut, and a file that is no WACZ
// is reported.
#include "corpora/reader/sniff.hpp"
#include "io/base/error.hpp"
#include "tests/fuzz/support/corpus.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  if (sniff_compression(input.text) != Compression::kZip) return 0;
  try {
    const auto found = fuzz::read_in_all_ways(input.text, CorpusFormat::kWarc, fuzz::document_limit(input.options));
    for (const auto& document : found.documents) EXPECT_NE(document.path.find("/archive/"), std::string::npos);
  } catch (const BudgetError&) {  // the window of a zstd frame
  }
  return 0;
}
