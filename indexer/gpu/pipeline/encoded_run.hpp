// The host's half of a block pass: encoded lists become the run, as every block sorter writes it.
#pragma once

#include <cstdint>
#include <span>

#include "indexer/block/sorter.hpp"
#include "indexer/gpu/steps/keys.hpp"

namespace spillway {

// A block's lists, encoded, on the host.
struct EncodedLists {
  Buffer memory;                                     // that the spans view, unless it is the lane's own
  std::span<const std::uint64_t> rank_text_offsets;  // into rank_text: one for each rank, and the end
  std::span<const std::uint8_t> rank_text;
  std::span<const EncodedFragment> fragments;  // in list order; the last element has the totals
  std::span<const std::uint8_t> postings, distances;
  ContentChecksum sum;  // kTokens: of the tokens that the chunks' sums leave out

  std::size_t bytes() const { return rank_text.size() + postings.size() + distances.size(); }
};

// Parallel inside the calling thread's TBB arena. Throws as BlockSorter::write_run.
RunSummary write_encoded_run(const Block& block, const BlockSortOptions& options, const EncodedLists& lists,
                             WritableFile& file, BlockSortStats& stats);

}  // namespace spillway
