// Chunks of tokens to chunks with tables: what a GPU would have sorted, for sorting on the CPU instead.
#pragma once

#include <cstddef>

#include "indexer/chunk/limits.hpp"
#include "indexer/chunk/parsed_chunk.hpp"
#include "io/format/content_options.hpp"
#include "io/format/index.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

// The chunk of form kTables, with its whole sum, of the documents of a chunk of form kTokens, which is used up.
// FormatError where tokens, lengths and sums do not agree (hardware or our own mistake).
ParsedChunk build_term_table(ParsedChunk&& chunk, Positions positions, MemoryBudget& budget);

// At most, by build_term_table() besides the chunk: for what it returns, and given back before it does.
struct TabulationBytes {
  std::size_t result = 0, scratch = 0;
};
TabulationBytes tabulation_bytes(const ParsedChunk& chunk, Positions positions);
// Of any chunk of these limits.
TabulationBytes most_tabulation_bytes(const ContentOptions& options, const ChunkLimits& limits);

}  // namespace spillway
