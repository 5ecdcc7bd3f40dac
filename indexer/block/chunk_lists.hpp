// The lists of inverted chunks (ChunkForm::kPostings) as fragments of the lists of their block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "indexer/block/terms.hpp"
#include "io/format/run.hpp"

namespace spillway {

// The list of the i-th of the block's sorted strings, in the block's document numbers. `bases`: chunk_bases().
inline ListFragment chunk_list(const Block& block, const std::vector<std::uint32_t>& bases, const BlockTerms& terms,
                               std::size_t i) {
  const std::uint32_t chunk_number = terms.chunk(i), term_number = terms.term(i);
  const ChunkPostings& chunk = block.chunks[chunk_number].postings();
  const ChunkList& list = chunk.lists[term_number];
  ListFragment fragment;
  fragment.postings = chunk.postings.subspan(list.posting_offset, list.posting_bytes);
  if (!chunk.distance_ranges.empty()) {
    const DistanceRange& range = chunk.distance_ranges[term_number];
    fragment.positions = chunk.distances.subspan(range.offset, range.bytes);
  }
  fragment.document_count = list.document_count;
  fragment.occurrence_count = list.occurrence_count;
  fragment.base = bases[chunk_number];
  fragment.last_document = fragment.base + list.last_document;
  return fragment;
}

// Prefetches only the first cache lines of a list: most lists are short, and the hardware prefetcher handles the rest.
inline void prefetch_bytes(const std::uint8_t* begin, std::size_t bytes) {
  constexpr std::size_t kLineBytes = 64, kMostBytes = 6 * kLineBytes;
  const std::uint8_t* const end = begin + std::min(bytes, kMostBytes);
  for (const std::uint8_t* at = begin; at < end; at += kLineBytes) __builtin_prefetch(at);
  __builtin_prefetch(end - 1);
}

// For walks over the strings in order, at the i-th of them and up to `end`: neighbours in this order may be in any
// chunks. Prefetches in two steps, because the second one reads what the first one has asked for.
inline void prefetch_chunk_lists(const Block& block, const BlockTerms& terms, std::size_t i, std::size_t end) {
  constexpr std::size_t kStep = 16;
  if (i + 2 * kStep < end) {
    const std::size_t next = i + 2 * kStep;
    const ChunkPostings& chunk = block.chunks[terms.chunk(next)].postings();
    __builtin_prefetch(&chunk.lists[terms.term(next)]);
    if (!chunk.distance_ranges.empty()) __builtin_prefetch(&chunk.distance_ranges[terms.term(next)]);
  }
  if (i + kStep < end) {
    const std::size_t next = i + kStep;
    const ChunkPostings& chunk = block.chunks[terms.chunk(next)].postings();
    const ChunkList& list = chunk.lists[terms.term(next)];
    prefetch_bytes(chunk.postings.data() + list.posting_offset, list.posting_bytes);
    if (chunk.distance_ranges.empty()) return;
    const DistanceRange& range = chunk.distance_ranges[terms.term(next)];
    prefetch_bytes(chunk.distances.data() + range.offset, range.bytes);
  }
}

}  // namespace spillway
