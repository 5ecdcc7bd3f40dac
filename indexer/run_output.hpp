// The second half of every block sorter: ranges of terms are encoded in parallel, read back to check the block's sum,
// and appended to the run in order, with the block's documents.
#pragma once

#include <functional>

#include "indexer/block_sorter.hpp"
#include "merge/list_join.hpp"

namespace spillway {

// Of every block-wide sorter, so that all of them write the same bytes. A range has the lists that begin in so many
// sorted occurrences: ranges are alike in bytes, whatever the vocabulary, and stay in cache until they are appended.
inline constexpr std::size_t kRangeOccurrences = std::size_t{1} << 19;
inline constexpr std::size_t range_count_of(std::size_t occurrences) {
  return (occurrences + kRangeOccurrences - 1) / kRangeOccurrences;
}
// With positions: occurrences of a list that are handed to the joiner at once.
inline constexpr std::uint32_t kStretchOccurrences = 1U << 16;

struct RunOutput {
  const Block& block;
  const BlockSortOptions& options;
  std::size_t range_count = 0;
  // Writes the terms of range `range` through the joiner, in term order; called on many threads.
  std::function<void(std::size_t range, ListJoiner& joiner)> encode;
  OccurrenceSum sum_besides{};  // of what the chunks' sums leave out
};

RunIdentity run_identity(const Block& block, const BlockSortOptions& options);

// What parsing knows of the block: all but the counts of entries and postings.
RunSummary block_summary(const Block& block);

RunSummary write_run_output(const RunOutput& output, WritableFile& file, BlockSortFigures& figures);

}  // namespace spillway
