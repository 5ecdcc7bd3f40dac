#include "indexer/gpu/merge/batch_memory.hpp"

#include <limits>

namespace spillway {

namespace {

// A varint of 33 bits, for a gap and its flag, and one of a frequency. Packed blocks take less.
constexpr std::size_t kMostPostingBytes = 10;
constexpr std::size_t kMostDistanceBytes = 5;  // a varint of 32 bits; packed blocks take less

}  // namespace

BatchSize BatchLimits::largest() const {
  BatchSize size;
  size.posting_bytes = size.postings = static_cast<std::uint32_t>(posting_bytes);
  size.distance_bytes = static_cast<std::uint32_t>(distance_bytes);
  size.occurrences = distance_bytes == 0 ? std::numeric_limits<std::uint32_t>::max() : size.distance_bytes;
  size.fragments = static_cast<std::uint32_t>(fragments);
  size.lists = static_cast<std::uint32_t>(lists);
  return size;
}

BatchMemory take_batch_memory(DeviceArena& arena, const BatchSize& size, std::size_t scratch_bytes) {
  const std::size_t postings = size.postings, lists = size.lists;
  const bool has_positions = size.distance_bytes != 0;
  const std::size_t positioned = has_positions ? postings : 0, occurrences = has_positions ? size.occurrences : 0;
  const std::size_t units = most_units(postings, lists), position_units = most_units(occurrences, lists);
  BatchMemory memory{};
  memory.posting_bytes = arena.take<std::uint8_t>(size.posting_bytes + kBatchPadding);
  memory.distance_bytes = arena.take<std::uint8_t>(size.distance_bytes + kBatchPadding);
  memory.starts = arena.take<std::uint64_t>(batch_groups(size.posting_bytes));
  memory.fragments = arena.take<BatchFragment>(size.fragments + std::size_t{1});
  memory.lists = arena.take<BatchList>(lists + 1);
  memory.held_bytes = arena.take<HeldBytes>(size.fragments);
  memory.wrong = arena.take<std::uint32_t>(1);
  memory.words = arena.take<WordCounts>(batch_groups(size.posting_bytes) + 1);
  memory.distance_counts = arena.take<std::uint32_t>(batch_groups(size.distance_bytes) + 1);

  memory.raw.documents = arena.take<std::uint32_t>(postings);
  memory.raw.frequencies = arena.take<std::uint32_t>(postings + 1);
  memory.raw.flags = arena.take<std::uint8_t>(postings);
  memory.raw.occurrences = arena.take<std::uint32_t>(postings + 1);
  memory.distances = arena.take<std::uint32_t>(occurrences);
  memory.last_positions = arena.take<std::uint32_t>(positioned);
  memory.position_values = arena.take<std::uint64_t>(positioned);
  memory.totals = arena.take<BatchTotals>(1);

  memory.keeps = arena.take<std::uint8_t>(postings + 1);
  memory.places = arena.take<std::uint32_t>(postings + 1);
  memory.kept_occurrences = arena.take<std::uint32_t>(postings + 1);
  memory.kept.documents = arena.take<std::uint32_t>(postings);
  memory.kept.frequencies = arena.take<std::uint32_t>(postings);
  memory.kept.occurrences = arena.take<std::uint32_t>(postings);
  memory.kept_distances = arena.take<std::uint32_t>(occurrences);

  memory.units = arena.take<ListUnits>(lists + 1);
  memory.shapes = arena.take<UnitShape>(units);
  memory.unit_places = arena.take<std::uint32_t>(units + 1);
  memory.widths = arena.take<std::uint8_t>(position_units);
  memory.position_unit_places = arena.take<std::uint32_t>(position_units + 1);

  memory.merged = arena.take<MergedList>(lists);
  memory.postings = arena.take<std::uint8_t>(kMostPostingBytes * postings);
  memory.bounds = arena.take<std::uint8_t>(kBoundEntryBytes * units);
  memory.positions =
      arena.take<std::uint8_t>(kMostDistanceBytes * occurrences + (has_positions ? kPositionPlaceBytes * units : 0));
  memory.ends = arena.take<BatchEnds>(1);
  memory.scratch = arena.take<std::uint8_t>(scratch_bytes);
  return memory;
}

std::size_t batch_memory_bytes(const BatchSize& size, std::size_t scratch_bytes) {
  DeviceArena counting = DeviceArena::for_counting();
  take_batch_memory(counting, size, scratch_bytes);
  return counting.used_bytes();
}

}  // namespace spillway
