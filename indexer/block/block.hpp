// Consecutive parsed chunks of one form, up to the block budget: they are sorted together and become one run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "indexer/chunk/parsed_chunk.hpp"
#include "indexer/resume/ledger.hpp"

namespace spillway {

struct Block {
  std::uint64_t number = 0;
  std::vector<ParsedChunk> chunks;
  bool last = false;           // the job's last block
  std::size_t cost_bytes = 0;  // of the chunks and of sorting them
  // What all blocks up to this one stand for, if this one ends with a task and the job keeps ledgers.
  std::optional<Ledger> done = {};

  bool first_document_open() const { return !chunks.empty() && chunks.front().first_document_open; }
  bool last_document_open() const { return !chunks.empty() && chunks.back().last_document_open; }
};

// Returns the number of each chunk's first document in the block, and finally the block's document count. A document
// that is open between two chunks counts once.
std::vector<std::uint32_t> chunk_bases(const Block& block);

}  // namespace spillway
