// The device memory of a batch that is merged: its arrays, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "indexer/gpu/merge/steps/decode.hpp"
#include "indexer/gpu/merge/steps/encode.hpp"
#include "indexer/gpu/merge/steps/held.hpp"
#include "merge/index/batch_lane.hpp"
#include "sort/gpu/device/arena.hpp"

namespace spillway {

// The largest batch that a lane takes.
struct BatchLimits {
  std::size_t posting_bytes = 0, distance_bytes = 0, fragments = 0, lists = 0;  // no distances: without positions

  BatchSize largest() const;
};

struct BatchMemory {
  std::uint8_t *posting_bytes, *distance_bytes;
  std::uint64_t* starts;
  BatchFragment* fragments;
  BatchList* lists;
  HeldBytes* held_bytes;  // by fragment
  std::uint32_t* wrong;
  WordCounts* words;
  std::uint32_t* distance_counts;

  RawPostings raw;
  std::uint32_t *distances, *last_positions;
  std::uint64_t* position_values;
  BatchTotals* totals;

  std::uint8_t* keeps;
  std::uint32_t *places, *kept_occurrences;  // kept_occurrences is used where documents may be dropped
  KeptPostings kept;
  std::uint32_t* kept_distances;

  ListUnits* units;
  UnitShape* shapes;
  std::uint32_t *unit_places, *position_unit_places;
  std::uint8_t* widths;

  MergedList* merged;
  std::uint8_t *postings, *bounds, *positions;
  BatchEnds* ends;
  std::uint8_t* scratch;
};

// Groups of bytes that are decoded at once.
constexpr std::size_t batch_groups(std::size_t bytes) { return (bytes + kBatchGroupBytes - 1) / kBatchGroupBytes; }
// Returns the most units of `count` postings or distances in `lists` lists.
constexpr std::size_t most_units(std::size_t count, std::size_t lists) { return count / KeptBatch::kUnit + lists; }

// GpuMemoryError where the arena is too small.
BatchMemory take_batch_memory(DeviceArena& arena, const BatchSize& size, std::size_t scratch_bytes);
// Returns the bytes that it takes from an arena.
std::size_t batch_memory_bytes(const BatchSize& size, std::size_t scratch_bytes);

}  // namespace spillway
