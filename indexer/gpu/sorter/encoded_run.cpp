#include "indexer/gpu/sorter/encoded_run.hpp"

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

ListFragment part_of(const EncodedLists& lists, const EncodedList& part) {
  const EncodedList& next = (&part)[1];
  ListFragment list;
  list.postings = lists.postings.subspan(part.first_posting_byte, next.first_posting_byte - part.first_posting_byte);
  list.positions =
      lists.distances.subspan(part.first_distance_byte, next.first_distance_byte - part.first_distance_byte);
  list.document_count = next.first_posting - part.first_posting;
  list.occurrence_count = next.first_occurrence - part.first_occurrence;
  list.last_document = part.last_document;
  return list;
}

}  // namespace

RunSummary write_encoded_run(const Block& block, const BlockSortOptions& options, const EncodedLists& lists,
                             WritableFile& file, BlockSortStats& stats) {
  const std::span<const EncodedList> parts = lists.parts.first(lists.parts.size() - 1);
  // Where the first list begins that begins at that occurrence or behind it.
  const auto first_list = [&](std::size_t occurrence) {
    auto part = std::partition_point(parts.begin(), parts.end(),
                                     [&](const EncodedList& at) { return at.first_occurrence < occurrence; });
    while (part != parts.begin() && part != parts.end() && part->rank == (part - 1)->rank) ++part;
    return part;
  };
  const std::size_t occurrences = lists.parts.back().first_occurrence;
  const std::size_t in_range = range_occurrences(occurrences);
  const auto encode = [&](std::size_t range, PostingsConcatenator& joiner) {
    std::vector<ListFragment> list;
    const auto end = first_list((range + 1) * in_range);
    auto part = first_list(range * in_range);
    if (options.positions == Positions::kNone) {  // every list is one part
      for (; part != end; ++part) joiner.write_whole(text_of(lists, part->rank), part_of(lists, *part));
      return;
    }
    for (; part != end; ++part) {
      list.assign(1, part_of(lists, *part));
      joiner.write(text_of(lists, part->rank), list);
    }
  };
  const std::size_t bytes = lists.rank_text.size() + lists.postings.size() + lists.distances.size();
  return write_run_output({block, options, bytes, range_count_of(occurrences, in_range), encode, lists.sum}, file,
                          stats);
}

}  // namespace spillway
