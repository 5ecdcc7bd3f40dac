#include "indexer/block/block.hpp"

namespace spillway {

std::vector<std::uint32_t> chunk_bases(const Block& block) {
  std::vector<std::uint32_t> bases;
  std::uint64_t base = 0;
  for (const ParsedChunk& chunk : block.chunks) {
    if (chunk.first_document_open && !bases.empty()) --base;
    bases.push_back(static_cast<std::uint32_t>(base));
    base += chunk.document_count;
  }
  bases.push_back(static_cast<std::uint32_t>(base));
  return bases;
}

}  // namespace spillway
