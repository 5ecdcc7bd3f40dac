// Tar files, raw: the same documents and skips however the file is cut, and members before the first damage are found.
#include "corpora/reader/sniff.hpp"
#include "corpora/tar/framer.hpp"
#include "tests/corpora/warc/memory_pieces.hpp"
#include "tests/fuzz/support/corpus.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

namespace {

// The pieces, however many bytes are shown at a time.
std::vector<std::uint64_t> frame(std::string_view bytes, std::size_t step) {
  spillway::testing::MemoryPieces input(bytes, {.step = step});
  TarFramer framer(input);
  std::vector<std::uint64_t> found;
  while (const auto piece = framer.next()) {
    const bool is_whole = piece->kind == ArchivePiece::Kind::kRecord || piece->kind == ArchivePiece::Kind::kCorrected;
    if (is_whole) {
      EXPECT_EQ(input.piece.size(), piece->header_bytes + piece->block_bytes);
    }
    EXPECT_LE(piece->header_bytes, bytes.size());
    found.insert(found.end(), {static_cast<std::uint64_t>(piece->kind), piece->header_bytes, piece->block_bytes});
    input.piece.clear();
  }
  EXPECT_TRUE(input.peek(1).empty());
  return found;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  if (sniff_compression(input.text) != Compression::kNone) return 0;
  const auto pieces = frame(input.text, 1);
  EXPECT_EQ(frame(input.text, std::size_t{64} << 10), pieces);
  const auto found = fuzz::read_in_all_ways(input.text, CorpusFormat::kTar, fuzz::document_limit(input.options));
  for (const auto& document : found.documents) EXPECT_FALSE(document.id.empty());
  EXPECT_LE(found.documents.size() + found.skips.size(), pieces.size() / 3);
  return 0;
}
