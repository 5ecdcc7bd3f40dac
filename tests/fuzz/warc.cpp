// Web archives, raw or with a start that makes them one: every piece is a document or skipped, however the file is cut,
// and whole records before the first damage are found.
#include "corpora/reader/sniff.hpp"
#include "tests/corpora/warc/memory_pieces.hpp"
#include "tests/fuzz/support/corpus.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  if (sniff_compression(input.text) != Compression::kNone) return 0;
  const auto found = fuzz::read_in_all_ways(input.text, CorpusFormat::kWarc, fuzz::document_limit(input.options));
  for (const auto& document : found.documents) EXPECT_FALSE(document.id.empty());
  const std::string_view text = fuzz::without_mark(input.text);
  const auto pieces = spillway::testing::find_pieces(text);
  EXPECT_EQ(found.documents.size() + found.skips.size(), pieces.size());
  std::size_t end = 0;
  for (const auto& piece : pieces) {
    if (piece.piece.kind == WarcPiece::Kind::kJunk) continue;
    EXPECT_GE(piece.offset, end) << "pieces overlap";
    end = piece.offset + piece.piece.header_bytes;
    EXPECT_LE(end, text.size());
  }
  return 0;
}
