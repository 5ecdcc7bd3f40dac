// The lists of inverted chunks (ChunkForm::kPostings) as fragments of the lists of their block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "indexer/block/terms.hpp"
#include "io/format/run.hpp"

namespace spillway {

// Lives no longer than the block and its terms.
class ChunkLists {
 public:
  ChunkLists(const Block& block, const BlockTerms& terms) : terms_(terms), bases_(chunk_bases(block)) {
    for (const ParsedChunk& chunk : block.chunks) chunks_.push_back(&chunk.postings());
  }

  const std::vector<std::uint32_t>& bases() const { return bases_; }

  // The list of the i-th of the block's sorted strings, in the block's document numbers.
  ListFragment operator[](std::size_t i) const {
    const std::uint32_t chunk_number = terms_.chunk(i), term = terms_.term(i);
    const ChunkPostings& chunk = *chunks_[chunk_number];
    const ChunkList& list = chunk.lists[term];
    ListFragment fragment;
    fragment.postings = chunk.postings.subspan(list.posting_offset, list.posting_bytes);
    if (!chunk.distance_ranges.empty()) fragment.positions = distances(chunk, term);
    fragment.document_count = list.document_count;
    fragment.occurrence_count = list.occurrence_count;
    fragment.base = bases_[chunk_number];
    fragment.last_document = fragment.base + list.last_document;
    return fragment;
  }

  // Prefetches for a walk over the strings in order, which is at the i-th string and ends at `end`; neighbours in this
  // order may be in different chunks. Works in two steps: the second one reads what the first one has prefetched.
  void prefetch(std::size_t i, std::size_t end) const {
    constexpr std::size_t kStep = 16;
    if (i + 2 * kStep < end) {
      const std::size_t next = i + 2 * kStep;
      const ChunkPostings& chunk = *chunks_[terms_.chunk(next)];
      __builtin_prefetch(&chunk.lists[terms_.term(next)]);
      if (!chunk.distance_ranges.empty()) __builtin_prefetch(&chunk.distance_ranges[terms_.term(next)]);
    }
    if (i + kStep < end) {
      const std::size_t next = i + kStep;
      const ChunkPostings& chunk = *chunks_[terms_.chunk(next)];
      const ChunkList& list = chunk.lists[terms_.term(next)];
      prefetch_bytes(chunk.postings.data() + list.posting_offset, list.posting_bytes);
      if (chunk.distance_ranges.empty()) return;
      const std::span<const std::uint8_t> positions = distances(chunk, terms_.term(next));
      prefetch_bytes(positions.data(), positions.size());
    }
  }

 private:
  static std::span<const std::uint8_t> distances(const ChunkPostings& chunk, std::uint32_t term) {
    return chunk.distances.subspan(chunk.distance_ranges[term].offset, chunk.distance_ranges[term].bytes);
  }

  // Prefetches only the first cache lines of a list: most lists are short, and the hardware prefetcher handles the
  // rest.
  static void prefetch_bytes(const std::uint8_t* begin, std::size_t bytes) {
    constexpr std::size_t kLineBytes = 64, kMostBytes = 6 * kLineBytes;
    const std::uint8_t* const end = begin + std::min(bytes, kMostBytes);
    for (const std::uint8_t* at = begin; at < end; at += kLineBytes) __builtin_prefetch(at);
    __builtin_prefetch(end - 1);
  }

  const BlockTerms& terms_;
  const std::vector<std::uint32_t> bases_;
  std::vector<const ChunkPostings*> chunks_;
};

}  // namespace spillway
