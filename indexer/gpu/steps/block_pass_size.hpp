// The sizes that decide how much device memory the GPU's pass over a block takes: sums over the block's chunks.
#pragma once

#include <cstdint>

#include "indexer/chunk/parsed_chunk.hpp"
#include "io/format/index.hpp"

namespace spillway {

// Strings are the most that the string sorter orders: the terms of the chunk tables, or all occurrences (kTokens).
struct BlockPassSize {
  std::uint64_t chunks = 0, strings = 0, string_bytes = 0, occurrences = 0, documents = 0;
  std::uint64_t token_bytes = 0;    // kTokens: bytes that go up, separators and padding included
  std::uint64_t position_runs = 0;  // kTokens, with positions
  bool positions = false;

  BlockPassSize& operator+=(const BlockPassSize& other);
};

BlockPassSize block_pass_size(const ParsedChunk& chunk, Positions positions);

}  // namespace spillway
