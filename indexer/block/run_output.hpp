// The second half of every block sorter: encodes ranges of terms in parallel, decodes them to check the block's
// checksum, and appends them to the run in order, with the block's documents.
#pragma once

#include <algorithm>
#include <functional>

#include "indexer/block/sorter.hpp"
#include "merge/run/postings_concatenator.hpp"

namespace spillway {

// Ranges of all block-wide sorters, so that they write the same bytes. A range has the lists that begin within this
// number of sorted occurrences: ranges have similar sizes for any vocabulary, and stay in cache until they are
// appended. A small block has smaller ranges, to occupy all threads; they do not depend on the number of threads.
inline constexpr std::size_t kMostRangeOccurrences = std::size_t{1} << 19,
                             kLeastRangeOccurrences = std::size_t{1} << 15;
inline constexpr std::size_t kRangesWanted = 64;
inline constexpr std::size_t range_occurrences(std::size_t occurrences) {
  return std::clamp(occurrences / kRangesWanted, kLeastRangeOccurrences, kMostRangeOccurrences);
}
inline constexpr std::size_t range_count_of(std::size_t occurrences, std::size_t range_occurrences) {
  return (occurrences + range_occurrences - 1) / range_occurrences;
}
// About the most bytes of the lists of a block that are encoded and not yet written.
std::size_t most_encoded_bytes(unsigned threads);
// With positions: the most occurrences of a fragment of a list.
inline constexpr std::uint32_t kFragmentOccurrences = 1U << 16;

struct RunOutput {
  const Block& block;
  const BlockSortOptions& options;
  std::size_t list_bytes = 0;  // of all lists, an estimate
  std::size_t range_count = 0;
  // Writes the lists of a range in term order. Called on many threads.
  std::function<void(std::size_t range, PostingsConcatenator& lists)> encode;
  ContentChecksum sum_besides{};  // of the occurrences that the chunks' sums leave out
};

RunIdentity run_identity(const Block& block, const BlockSortOptions& options);

// The summary of the block except for the counts of entries and postings.
RunSummary block_summary(const Block& block);

RunSummary write_run_output(const RunOutput& output, WritableFile& file, BlockSortStats& stats);

}  // namespace spillway
