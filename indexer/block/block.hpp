// Consecutive parsed chunks up to the block budget: what is sorted at once and becomes one run.
#pragma once

#include <cstdint>
#include <vector>

#include "indexer/chunk/parsed_chunk.hpp"

namespace spillway {

struct Block {
  std::uint64_t number = 0;
  std::vector<ParsedChunk> chunks;
  bool last = false;           // of the job: no other is being filled
  std::size_t cost_bytes = 0;  // chunks and what sorting them will need

  bool first_document_open() const { return !chunks.empty() && chunks.front().first_document_open; }
  bool last_document_open() const { return !chunks.empty() && chunks.back().last_document_open; }
};

// Where a block's chunks stand in it: number of the first document of each, and behind the last one the block's count.
// A document that is open between two chunks is one document.
std::vector<std::uint32_t> chunk_bases(const Block& block);

}  // namespace spillway
