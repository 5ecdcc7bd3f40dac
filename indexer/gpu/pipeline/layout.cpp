#include "indexer/gpu/pipeline/layout.hpp"

#include <algorithm>

#include "indexer/block/run_output.hpp"
#include "indexer/gpu/steps/distinct_tokens.hpp"
#include "indexer/gpu/steps/token_sums.hpp"
#include "indexer/gpu/steps/tokens.hpp"
#include "indexer/gpu/steps/uploaded_sums.hpp"
#include "sort/gpu/device/arena.hpp"

namespace spillway {

namespace {

// Hands out one place after the other.
class Places {
 public:
  explicit Places(std::size_t begin) : end_(begin) {}
  template <typename T>
  std::size_t take(std::size_t count) {
    const std::size_t place = end_;
    end_ += device_aligned(count * sizeof(T));
    return place;
  }
  std::size_t end() const { return end_; }

 private:
  std::size_t end_;
};

// A varint of 33 bits, for the gap and its flag. A frequency adds as many bytes at most as it has occurrences beyond
// the first.
constexpr std::size_t kMaxGapBytes = 5;
constexpr std::size_t kMaxDistanceBytes = 5;  // a varint of 32 bits

void take_kept(const BlockPassSize& size, const PassScratch& scratch, std::size_t positioned, Places& to,
               PassLayout& layout) {
  layout.chunk_places = to.take<ChunkPlace>(size.chunks + 1);
  layout.slice_ends = to.take<std::uint32_t>(size.documents + 1);
  layout.group_sums = to.take<GroupSums>(size.occurrences / kGroupKeys + 2);
  layout.scan_scratch = to.take<std::uint8_t>(scratch.scan_bytes);
  layout.totals = to.take<PassTotals>(1);  // right after scan_scratch, whose size it tells
  layout.positions = to.take<std::uint32_t>(positioned);
}

void take_lists(const BlockPassSize& size, Places& to, PassLayout& layout) {
  const std::size_t positioned = size.positions ? size.occurrences : 0;
  const std::size_t most_fragments = size.strings + positioned / kFragmentOccurrences;
  layout.fragments = to.take<EncodedFragment>(std::min<std::size_t>(most_fragments, size.occurrences) + 1);
  layout.postings = to.take<std::uint8_t>(kMaxGapBytes * size.occurrences);
  layout.distances = to.take<std::uint8_t>(kMaxDistanceBytes * positioned);
}

}  // namespace

std::size_t occurrence_bytes_bound(const BlockPassSize& size) {
  return size.occurrences * sizeof(std::uint32_t) + size.chunks * kChunkAlignment;
}

OccurrenceLayout lay_out_occurrences(const BlockPassSize& size, const PassScratch& scratch) {
  OccurrenceLayout layout{};
  const std::size_t strings = size.strings, occurrences = size.occurrences;
  const std::size_t positioned = size.positions ? occurrences : 0;
  Places kept(0);
  take_kept(size, scratch, positioned, kept, layout);
  layout.documents = kept.take<std::uint32_t>(positioned);
  layout.ordered_positions = kept.take<std::uint32_t>(positioned);
  layout.rank_text_offsets = kept.take<std::uint64_t>(strings + 1);
  layout.rank_text = kept.take<std::uint8_t>(size.string_bytes);

  Places before(kept.end());
  layout.text = before.take<std::uint8_t>(size.string_bytes + kTextPadding);
  layout.string_bytes = before.take<std::uint16_t>(strings + 1);
  layout.string_offsets = before.take<std::uint64_t>(strings + 1);
  layout.order = before.take<std::uint32_t>(strings);
  layout.firsts = before.take<std::uint8_t>(strings);
  layout.ranks = before.take<std::uint32_t>(strings);
  layout.ranks_in_order = before.take<std::uint32_t>(strings);
  layout.first_strings = before.take<std::uint32_t>(strings);
  layout.occurrences = before.take<std::uint8_t>(occurrence_bytes_bound(size));
  Places after(kept.end());
  take_lists(size, after, layout);

  Places sorting(std::max(before.end(), after.end()));
  layout.string_scratch = layout.keys = sorting.end();
  sorting.take<std::uint64_t>(occurrences);
  layout.key_scratch = sorting.take<std::uint8_t>(scratch.record_sort_bytes);
  layout.total_bytes = std::max(sorting.end(), layout.string_scratch + device_aligned(scratch.string_sort_bytes));
  return layout;
}

TokenLayout lay_out_tokens(const BlockPassSize& size, const PassScratch& scratch) {
  TokenLayout layout{};
  const std::size_t tokens = size.occurrences;
  Places kept(0);
  take_kept(size, scratch, size.positions ? tokens : 0, kept, layout);
  layout.document_ends = kept.take<std::uint32_t>(size.documents + 1);
  layout.token_sums = kept.take<TokenSums>(1);
  layout.uploaded = kept.take<UploadedTokens>(1);
  layout.term_totals = kept.take<TermTotals>(1);

  Places strings(kept.end());
  layout.text = strings.take<std::uint8_t>(size.string_bytes + kTextPadding);
  layout.string_offsets = strings.take<std::uint64_t>(tokens + 1);
  layout.order = strings.take<std::uint32_t>(tokens);
  layout.firsts = strings.take<std::uint8_t>(tokens);
  Places lists(kept.end());
  take_lists(size, lists, layout);

  const std::uint32_t slots = token_table_slots(tokens);
  Places terms(strings.end());
  layout.token_slots = terms.take<std::uint32_t>(tokens);
  layout.slot_of_term = terms.take<std::uint32_t>(slots);
  layout.rank_of_slot = terms.take<std::uint32_t>(slots);

  Places before(terms.end());
  layout.raw = before.take<std::uint8_t>(size.token_bytes + kRawPadding);
  layout.raw_counts = before.take<RawCounts>(raw_groups(size.token_bytes) + 1);
  layout.document_powers = before.take<std::uint64_t>(size.documents);
  layout.position_runs = before.take<PositionRun>(size.position_runs);
  layout.run_tokens = before.take<std::uint32_t>(size.position_runs);
  layout.group_runs = before.take<std::uint32_t>(size.positions ? token_groups(tokens) + 1 : 0);
  layout.term_slots = before.take<TermSlot>(slots);
  layout.slot_counts = before.take<RawCounts>(slots + 1);

  layout.string_scratch = strings.end();
  layout.term_scratch = terms.end();
  layout.unsorted_keys = kept.end();

  Places ranks(strings.end());
  layout.ranks_in_order = ranks.take<std::uint32_t>(tokens);
  layout.first_strings = ranks.take<std::uint32_t>(tokens);
  Places ranking(std::max(ranks.end(), terms.end()));
  layout.group_documents = ranking.take<std::uint32_t>(token_groups(tokens) + 1);
  layout.documents = ranking.take<std::uint32_t>(tokens);
  layout.token_places = layout.documents;
  if (size.positions) ranking.take<std::uint32_t>(tokens);  // a TokenPlace is a document and a position
  Places ranked(std::max(ranking.end(), lists.end()));
  layout.keys = layout.key_scratch = ranked.end();
  ranked.take<std::uint8_t>(std::max(tokens * sizeof(std::uint64_t), scratch.record_sort_bytes));
  layout.rank_text_offsets = ranked.take<std::uint64_t>(tokens + 1);
  layout.rank_text = ranked.take<std::uint8_t>(size.string_bytes);
  layout.ordered_positions = ranked.take<std::uint32_t>(size.positions ? tokens : 0);
  layout.total_bytes = std::max({before.end(), strings.end() + device_aligned(scratch.string_sort_bytes),
                                 terms.end() + device_aligned(scratch.term_sort_bytes), ranked.end()});
  return layout;
}

std::size_t pass_bytes(const BlockPassSize& size, const PassScratch& scratch, ChunkForm form) {
  return form == ChunkForm::kTokens ? lay_out_tokens(size, scratch).total_bytes
                                    : lay_out_occurrences(size, scratch).total_bytes;
}

}  // namespace spillway
