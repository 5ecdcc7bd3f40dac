#include "indexer/gpu/pipeline/encoded_run.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <vector>

#include "indexer/block/run_output.hpp"
#include "io/format/run.hpp"
#include "sort/gpu/device/error.hpp"

namespace spillway {

namespace {

[[noreturn]] void refuse_lists() {
  throw GpuError("the lists of a block contradict each other: the memory of the GPU or the way from it is at fault");
}

// Bytes of fragment i. Throws unless it lies within the lists, and its term within their text.
std::size_t checked_bytes(const EncodedLists& lists, std::size_t i) {
  const EncodedFragment &begin = lists.fragments[i], &end = lists.fragments[i + 1];
  const bool is_last = i + 1 == lists.fragment_count();
  const std::size_t ranks = lists.rank_text_offsets.size() - 1;
  if (begin.first_posting_byte >= end.first_posting_byte || end.first_posting_byte > lists.postings.size() ||
      begin.first_distance_byte > end.first_distance_byte || end.first_distance_byte > lists.distances.size() ||
      begin.first_posting >= end.first_posting || begin.first_occurrence >= end.first_occurrence ||
      begin.rank >= ranks || (!is_last && end.rank < begin.rank)) {
    refuse_lists();
  }
  const std::uint64_t text = lists.rank_text_offsets[begin.rank], text_end = lists.rank_text_offsets[begin.rank + 1];
  if (text >= text_end || text_end - text > kMaxRunTermBytes || text_end > lists.rank_text.size()) refuse_lists();
  return end.first_posting_byte - begin.first_posting_byte + end.first_distance_byte - begin.first_distance_byte;
}

}  // namespace

ListFragment EncodedLists::fragment(std::size_t i) const {
  const EncodedFragment &begin = fragments[i], &end = fragments[i + 1];
  ListFragment list;
  list.postings = postings.subspan(begin.first_posting_byte, end.first_posting_byte - begin.first_posting_byte);
  list.positions = distances.subspan(begin.first_distance_byte, end.first_distance_byte - begin.first_distance_byte);
  list.document_count = end.first_posting - begin.first_posting;
  list.occurrence_count = end.first_occurrence - begin.first_occurrence;
  list.last_document = begin.last_document;
  return list;
}

std::size_t largest_fragment_bytes(const EncodedLists& lists) {
  constexpr std::size_t kStep = 4096;
  if (lists.fragments.empty() || lists.rank_text_offsets.empty()) refuse_lists();
  tbb::task_group_context context(tbb::task_group_context::isolated);  // the check ends, whatever is cancelled outside
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, lists.fragment_count(), kStep), std::size_t{0},
      [&](const tbb::blocked_range<std::size_t>& range, std::size_t largest) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) largest = std::max(largest, checked_bytes(lists, i));
        return largest;
      },
      [](std::size_t a, std::size_t b) { return std::max(a, b); }, context);
}

RunSummary write_encoded_run(const Block& block, const BlockSortOptions& options, const EncodedLists& lists,
                             WritableFile& file, BlockSortStats& stats) {
  const std::span<const EncodedFragment> fragments = lists.fragments.first(lists.fragment_count());
  // The first list that begins at `occurrence` or later.
  const auto first_list = [&](std::size_t occurrence) {
    auto at = std::partition_point(fragments.begin(), fragments.end(), [&](const EncodedFragment& fragment) {
      return fragment.first_occurrence < occurrence;
    });
    while (at != fragments.begin() && at != fragments.end() && at->rank == (at - 1)->rank) ++at;
    return at;
  };
  const auto fragment_at = [&](auto at) { return lists.fragment(static_cast<std::size_t>(at - fragments.begin())); };
  const std::size_t occurrences = lists.fragments.back().first_occurrence;
  const std::size_t in_range = range_occurrences(occurrences);
  const auto encode = [&](std::size_t range, PostingsConcatenator& concatenator) {
    std::vector<ListFragment> list;
    const auto end = first_list((range + 1) * in_range);
    for (auto at = first_list(range * in_range); at != end; ++at) {
      if (options.positions == Positions::kNone) {  // every list is one fragment
        concatenator.write_whole(lists.text(at->rank), fragment_at(at));
      } else {
        list.assign(1, fragment_at(at));
        concatenator.write(lists.text(at->rank), list);
      }
    }
  };
  return write_run_output({block, options, lists.bytes(), range_count_of(occurrences, in_range), encode, lists.sum},
                          file, stats);
}

}  // namespace spillway
