// The host's half of a block pass: encoded lists become the run, as every block sorter writes it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "indexer/block/sorter.hpp"
#include "indexer/gpu/steps/keys.hpp"

namespace spillway {

// A block's lists, encoded, on the host. A list has one fragment, with positions one or more.
struct EncodedLists {
  Buffer memory;                                     // that the spans view, unless it is the lane's own
  std::span<const std::uint64_t> rank_text_offsets;  // into rank_text: one for each rank, and the end
  std::span<const std::uint8_t> rank_text;
  std::span<const EncodedFragment> fragments;  // in list order; the last element has the totals
  std::span<const std::uint8_t> postings, distances;
  ContentChecksum sum;  // kTokens: of the tokens that the chunks' sums leave out

  std::size_t bytes() const { return rank_text.size() + postings.size() + distances.size(); }
  std::size_t fragment_count() const { return fragments.size() - 1; }
  std::string_view text(std::uint32_t rank) const {
    const std::uint64_t begin = rank_text_offsets[rank];
    return {reinterpret_cast<const char*>(rank_text.data()) + begin,
            static_cast<std::size_t>(rank_text_offsets[rank + 1] - begin)};
  }
  // Requires: i < fragment_count().
  ListFragment fragment(std::size_t i) const;
};

// The bytes of the largest fragment. O(terms), parallel inside the calling thread's TBB arena. Throws GpuError where
// lists or terms do not lie within their arrays.
std::size_t largest_fragment_bytes(const EncodedLists& lists);

// Parallel inside the calling thread's TBB arena. Throws as BlockSorter::write_run.
RunSummary write_encoded_run(const Block& block, const BlockSortOptions& options, const EncodedLists& lists,
                             WritableFile& file, BlockSortStats& stats);

}  // namespace spillway
