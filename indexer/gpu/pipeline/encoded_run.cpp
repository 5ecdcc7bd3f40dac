#include "indexer/gpu/pipeline/encoded_run.hpp"

#include <algorithm>
#include <vector>

#include "indexer/block/run_output.hpp"

namespace spillway {

namespace {

std::string_view text_of(const EncodedLists& lists, std::uint32_t rank) {
  const std::uint64_t begin = lists.rank_text_offsets[rank];
  return {reinterpret_cast<const char*>(lists.rank_text.data()) + begin,
          static_cast<std::size_t>(lists.rank_text_offsets[rank + 1] - begin)};
}

ListFragment fragment_of(const EncodedLists& lists, const EncodedFragment& fragment) {
  const EncodedFragment& next = (&fragment)[1];
  ListFragment list;
  list.postings =
      lists.postings.subspan(fragment.first_posting_byte, next.first_posting_byte - fragment.first_posting_byte);
  list.positions =
      lists.distances.subspan(fragment.first_distance_byte, next.first_distance_byte - fragment.first_distance_byte);
  list.document_count = next.first_posting - fragment.first_posting;
  list.occurrence_count = next.first_occurrence - fragment.first_occurrence;
  list.last_document = fragment.last_document;
  return list;
}

}  // namespace

RunSummary write_encoded_run(const Block& block, const BlockSortOptions& options, const EncodedLists& lists,
                             WritableFile& file, BlockSortStats& stats) {
  const std::span<const EncodedFragment> fragments = lists.fragments.first(lists.fragments.size() - 1);
  // The first list that begins at `occurrence` or later.
  const auto first_list = [&](std::size_t occurrence) {
    auto at = std::partition_point(fragments.begin(), fragments.end(), [&](const EncodedFragment& fragment) {
      return fragment.first_occurrence < occurrence;
    });
    while (at != fragments.begin() && at != fragments.end() && at->rank == (at - 1)->rank) ++at;
    return at;
  };
  const std::size_t occurrences = lists.fragments.back().first_occurrence;
  const std::size_t in_range = range_occurrences(occurrences);
  const auto encode = [&](std::size_t range, PostingsConcatenator& concatenator) {
    std::vector<ListFragment> list;
    const auto end = first_list((range + 1) * in_range);
    for (auto at = first_list(range * in_range); at != end; ++at) {
      if (options.positions == Positions::kNone) {  // every list is one fragment
        concatenator.write_whole(text_of(lists, at->rank), fragment_of(lists, *at));
      } else {
        list.assign(1, fragment_of(lists, *at));
        concatenator.write(text_of(lists, at->rank), list);
      }
    }
  };
  return write_run_output({block, options, lists.bytes(), range_count_of(occurrences, in_range), encode, lists.sum},
                          file, stats);
}

}  // namespace spillway
