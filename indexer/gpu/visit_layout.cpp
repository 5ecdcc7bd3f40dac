#include "indexer/gpu/visit_layout.hpp"

#include <algorithm>

#include "indexer/gpu/visit_steps.hpp"
#include "indexer/run_output.hpp"
#include "sort/gpu/gpu_memory.hpp"

namespace spillway {

namespace {

// Hands out places behind each other.
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

constexpr std::size_t kMaxGapBytes = 5;  // of a gap below 2^32 and its flag; a frequency has more than one occurrence
constexpr std::size_t kMaxDistanceBytes = 5;  // of a u32

}  // namespace

VisitSize& VisitSize::operator+=(const VisitSize& other) {
  chunks += other.chunks;
  strings += other.strings;
  string_bytes += other.string_bytes;
  occurrences += other.occurrences;
  documents += other.documents;
  positions = positions || other.positions;
  return *this;
}

VisitSize visit_size(const ParsedChunk& chunk, Positions positions) {
  VisitSize size;
  size.chunks = 1;
  size.strings = chunk.terms.size();
  size.string_bytes = chunk.text.size();
  size.occurrences = chunk.occurrences.size();
  size.documents = chunk.lengths.size();
  size.positions = positions == Positions::kStored;
  return size;
}

std::size_t occurrence_bytes_bound(const VisitSize& size) {
  return size.occurrences * sizeof(std::uint32_t) + size.chunks * kChunkAlignment;
}

VisitLayout lay_out_visit(const VisitSize& size, const VisitScratch& scratch) {
  VisitLayout layout{};
  const std::size_t strings = size.strings, occurrences = size.occurrences;
  const std::size_t positioned = size.positions ? occurrences : 0;
  Places kept(0);
  layout.chunk_places = kept.take<ChunkPlace>(size.chunks + 1);
  layout.piece_ends = kept.take<std::uint32_t>(size.documents + 1);
  layout.rank_text_offsets = kept.take<std::uint64_t>(strings + 1);
  layout.rank_text = kept.take<std::uint8_t>(size.string_bytes);
  layout.group_sums = kept.take<GroupSums>(occurrences / kGroupKeys + 2);
  layout.scan_scratch = kept.take<std::uint8_t>(scratch.scan_bytes);
  layout.document_ends = kept.take<std::uint32_t>(size.positions ? size.documents + 1 : 0);
  layout.documents = kept.take<std::uint32_t>(positioned);
  layout.positions = kept.take<std::uint32_t>(positioned);

  Places before(kept.end());
  layout.text = before.take<std::uint8_t>(size.string_bytes + kTextPadding);
  layout.string_bytes = before.take<std::uint16_t>(strings + 1);
  layout.string_offsets = before.take<std::uint64_t>(strings + 1);
  layout.order = before.take<std::uint32_t>(strings);
  layout.ranks = before.take<std::uint32_t>(strings);
  layout.ranks_in_order = before.take<std::uint32_t>(strings);
  layout.first_strings = before.take<std::uint32_t>(strings);
  layout.occurrences = before.take<std::uint8_t>(occurrence_bytes_bound(size));
  Places after(kept.end());
  layout.parts = after.take<VisitPart>(std::min(strings + positioned / kStretchOccurrences, occurrences) + 1);
  layout.postings = after.take<std::uint8_t>(kMaxGapBytes * occurrences);
  layout.distances = after.take<std::uint8_t>(kMaxDistanceBytes * positioned);

  Places sorting(std::max(before.end(), after.end()));
  layout.string_scratch = layout.keys = sorting.end();
  sorting.take<std::uint64_t>(occurrences);
  layout.key_scratch = sorting.take<std::uint8_t>(scratch.record_sort_bytes);
  layout.total_bytes = std::max(sorting.end(), layout.string_scratch + device_aligned(scratch.string_sort_bytes));
  return layout;
}

}  // namespace spillway
