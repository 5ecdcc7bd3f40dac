// Consecutive parsed chunks of one form, up to the block budget: they are sorted together and become one run.
#pragma once

#include <cstdint>
#include <vector>

#include "indexer/chunk/parsed_chunk.hpp"

namespace spillway {

struct Block {
  std::uint64_t number = 0;
  std::vector<ParsedChunk> chunks;
  bool last = false;           // the job's last block
  std::size_t cost_bytes = 0;  // of the chunks and of sorting them

  bool first_document_open() const { return !chunks.empty() && chunks.front().first_document_open; }
  bool last_document_open() const { return !chunks.empty() && chunks.back().last_document_open; }
};

// Returns the number of each chunk's first document in the block, and finally the block's document count. A document
// that is open between two chunks counts once.
std::vector<std::uint32_t> chunk_bases(const Block& block);

}  // namespace spillway
