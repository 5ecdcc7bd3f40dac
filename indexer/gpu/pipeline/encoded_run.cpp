#include "indexer/gpu/pipeline/encoded_run.hpp"

#include <algorithm>
#include <vector>

#include "indexer/block/run_output.hpp"

namespace spillway {

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
