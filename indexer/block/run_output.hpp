// The second half of every block sorter: ranges of terms are encoded in parallel, read back to check the block's sum,
// and appended to the run in order, with the block's documents.
#pragma once

#include <algorithm>
#include <functional>

#include "indexer/block/sorter.hpp"
#include "merge/run/postings_concatenator.hpp"

namespace spillway {

// Of every block-wide sorter, so that all of them write the same bytes. A range has the lists that begin in so many
// sorted occurrences: ranges are alike in bytes, whatever the vocabulary, and stay in cache until they are appended.
// Of a small block they are smaller, so that all threads have some; how many threads there are does not matter.
inline constexpr std::size_t kMostRangeOccurrences = std::size_t{1} << 19,
                             kLeastRangeOccurrences = std::size_t{1} << 15;
inline constexpr std::size_t kRangesWanted = 64;
inline constexpr std::size_t range_occurrences(std::size_t occurrences) {
  return std::clamp(occurrences / kRangesWanted, kLeastRangeOccurrences, kMostRangeOccurrences);
}
inline constexpr std::size_t range_count_of(std::size_t occurrences, std::size_t range_occurrences) {
  return (occurrences + range_occurrences - 1) / range_occurrences;
}
// What the lists of a block that are encoded at once take at most, about: of ranges of the largest size.
std::size_t most_encoded_bytes(unsigned threads);
// With positions: occurrences of a list that are handed to the joiner at once.
inline constexpr std::uint32_t kStretchOccurrences = 1U << 16;

struct RunOutput {
  const Block& block;
  const BlockSortOptions& options;
  std::size_t list_bytes = 0;  // about
  std::size_t range_count = 0;
  // Writes the terms of range `range` through the joiner, in term order; called on many threads.
  std::function<void(std::size_t range, PostingsConcatenator& joiner)> encode;
  ContentChecksum sum_besides{};  // of what the chunks' sums leave out
};

RunIdentity run_identity(const Block& block, const BlockSortOptions& options);

// What parsing knows of the block: all but the counts of entries and postings.
RunSummary block_summary(const Block& block);

RunSummary write_run_output(const RunOutput& output, WritableFile& file, BlockSortStats& stats);

}  // namespace spillway
