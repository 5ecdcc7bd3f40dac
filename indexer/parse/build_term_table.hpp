// Turns chunks of tokens, made for a GPU, into chunks with tables, which the CPU can sort instead.
#pragma once

#include <cstddef>

#include "indexer/chunk/limits.hpp"
#include "indexer/chunk/parsed_chunk.hpp"
#include "io/format/content_options.hpp"
#include "io/format/index.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

// Returns the chunk with a table, and with the checksum of all its occurrences, of a chunk of tokens, which is used up.
// O(bytes of tokens). FormatError where tokens, lengths and checksums do not agree (hardware or our own mistake).
ParsedChunk build_term_table(ParsedChunk&& chunk, Positions positions, MemoryBudget& budget);

// The most bytes that build_term_table() takes besides the chunk: for its result, and for scratch that it frees.
struct TabulationBytes {
  std::size_t result = 0, scratch = 0;
};
TabulationBytes tabulation_bytes(const ParsedChunk& chunk, Positions positions);
// Returns the most for any chunk within these limits.
TabulationBytes most_tabulation_bytes(const ContentOptions& options, const ChunkLimits& limits);

}  // namespace spillway
