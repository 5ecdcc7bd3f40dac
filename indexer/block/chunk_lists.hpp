// The lists of inverted chunks (ChunkForm::kPostings) as fragments of the lists of their block.
#pragma once

#include <cstdint>
#include <vector>

#include "indexer/block/terms.hpp"
#include "io/base/bytes.hpp"
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
  [[gnu::always_inline]] void prefetch(std::size_t i, std::size_t end) const {
    constexpr std::size_t kStep = 4;
    if (i + 2 * kStep < end) {
      const std::size_t next = i + 2 * kStep;
      const ChunkPostings& chunk = *chunks_[terms_.chunk(next)];
      __builtin_prefetch(&chunk.lists[terms_.term(next)]);
      if (terms_.starts_term(next)) __builtin_prefetch(&chunk.terms[terms_.term(next)]);
      if (!chunk.distance_ranges.empty()) __builtin_prefetch(&chunk.distance_ranges[terms_.term(next)]);
    }
    if (i + kStep < end) {
      const std::size_t next = i + kStep;
      const ChunkPostings& chunk = *chunks_[terms_.chunk(next)];
      const ChunkList& list = chunk.lists[terms_.term(next)];
      if (terms_.starts_term(next)) __builtin_prefetch(chunk.term_text(terms_.term(next)).data());
      prefetch_bytes(chunk.postings.subspan(list.posting_offset, list.posting_bytes));
      if (chunk.distance_ranges.empty()) return;
      prefetch_bytes(distances(chunk, terms_.term(next)));
    }
  }

 private:
  static std::span<const std::uint8_t> distances(const ChunkPostings& chunk, std::uint32_t term) {
    return chunk.distances.subspan(chunk.distance_ranges[term].offset, chunk.distance_ranges[term].bytes);
  }

  const BlockTerms& terms_;
  const std::vector<std::uint32_t> bases_;
  std::vector<const ChunkPostings*> chunks_;
};

}  // namespace spillway
