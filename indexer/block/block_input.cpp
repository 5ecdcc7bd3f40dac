#include "indexer/block/block_input.hpp"

#include <cstdint>

#include "indexer/block/documents.hpp"

namespace spillway {

std::unique_ptr<DocumentCursor> BlockInput::documents() const { return std::make_unique<BlockDocumentCursor>(block_); }

std::vector<DocumentRange> BlockInput::document_ranges() const {
  const std::vector<std::uint32_t> bases = chunk_bases(block_);
  std::vector<DocumentRange> ranges;
  for (std::size_t c = 0; c < block_.chunks.size(); ++c) {
    ranges.push_back({bases[c], std::make_unique<BlockDocumentCursor>(block_, c, c + 1),
                      block_.chunks[c].documents.size() + block_.chunks[c].open_strings.size()});
  }
  return ranges;
}

}  // namespace spillway
