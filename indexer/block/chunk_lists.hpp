// The lists of inverted chunks (ChunkForm::kPostings) as parts of the lists of their block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "indexer/block/terms.hpp"
#include "io/format/run.hpp"

namespace spillway {

// The list of the i-th string of the block's terms, in the block's numbering. `bases`: chunk_bases().
inline ListFragment chunk_list(const Block& block, const std::vector<std::uint32_t>& bases, const BlockTerms& terms,
                               std::size_t i) {
  const std::uint32_t chunk_number = terms.chunk(i), term_number = terms.term(i);
  const ParsedChunk& chunk = block.chunks[chunk_number];
  const ChunkTerm& term = chunk.terms[term_number];
  ListFragment part;
  part.postings = chunk.postings.subspan(term.posting_offset, term.posting_bytes);
  if (!chunk.distance_parts.empty()) {
    const PositionPart& positions = chunk.distance_parts[term_number];
    part.positions = chunk.distances.subspan(positions.offset, positions.bytes);
  }
  part.document_count = term.document_count;
  part.occurrence_count = term.occurrence_count;
  part.base = bases[chunk_number];
  part.last_document = part.base + term.last_document;
  return part;
}

// The first lines of a list, of which most have few: what is behind them is foreseen by the CPU.
inline void prefetch_bytes(const std::uint8_t* begin, std::size_t bytes) {
  constexpr std::size_t kLineBytes = 64, kMostBytes = 6 * kLineBytes;
  const std::uint8_t* const end = begin + std::min(bytes, kMostBytes);
  for (const std::uint8_t* at = begin; at < end; at += kLineBytes) __builtin_prefetch(at);
  __builtin_prefetch(end - 1);
}

// Strings in order stand in any chunk: what they need is asked for in two steps, each of which needs the one before.
// For walks in order up to `end`, at the i-th string.
inline void prefetch_chunk_lists(const Block& block, const BlockTerms& terms, std::size_t i, std::size_t end) {
  constexpr std::size_t kStep = 16;
  if (i + 2 * kStep < end) {
    const std::size_t next = i + 2 * kStep;
    const ParsedChunk& chunk = block.chunks[terms.chunk(next)];
    __builtin_prefetch(&chunk.terms[terms.term(next)]);
    if (!chunk.distance_parts.empty()) __builtin_prefetch(&chunk.distance_parts[terms.term(next)]);
  }
  if (i + kStep < end) {
    const std::size_t next = i + kStep;
    const ParsedChunk& chunk = block.chunks[terms.chunk(next)];
    const ChunkTerm& term = chunk.terms[terms.term(next)];
    prefetch_bytes(chunk.postings.data() + term.posting_offset, term.posting_bytes);
    if (chunk.distance_parts.empty()) return;
    const PositionPart& positions = chunk.distance_parts[terms.term(next)];
    prefetch_bytes(chunk.distances.data() + positions.offset, positions.bytes);
  }
}

}  // namespace spillway
