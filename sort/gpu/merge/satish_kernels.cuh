// The kernels of `gpu-merge:satish`. One warp handles a tile, so that no barrier of the block is needed.
#pragma once

#include "sort/gpu/merge/odd_even.hpp"
#include "sort/gpu/merge/satish_steps.hpp"

namespace spillway {

inline constexpr unsigned kSatishWarps = 4;  // of a block
inline constexpr unsigned kSatishThreads = kLanes * kSatishWarps;

template <bool kHasPlace>
__device__ Record<kHasPlace> from_lane(const Record<kHasPlace>& record, unsigned lane) {
  Record<kHasPlace> other;
  other.key = __shfl_sync(~0u, record.key, lane);
  if constexpr (kHasPlace) other.value = __shfl_sync(~0u, record.value, lane);
  return other;
}

// The comparators over kDistance (4, 2, 1) records, inside the lane and with its neighbours.
template <unsigned kDistance, bool kHasPlace, typename Less>
__device__ void exchange_near(Record<kHasPlace> (&records)[kPerLane], unsigned lane, unsigned run, Less less) {
  const bool has_before = has_lane_before(lane, run), has_after = has_lane_after(lane, run);
  SPILLWAY_UNROLL
  for (unsigned i = 0; i < kDistance; ++i) {
    Record<kHasPlace>& last = records[kPerLane - kDistance + i];
    const Record<kHasPlace> after = from_lane(records[i], lane + 1), before = from_lane(last, lane - 1);
    if (has_after) last = kept(last, after, End::kLow, less);
    if (has_before) records[i] = kept(records[i], before, End::kHigh, less);
  }
  exchange_in_lane<kDistance>(records, less);
}

// Merges pairs of runs of `run` lanes.
template <bool kHasPlace, typename Less>
__device__ void merge_lanes(Record<kHasPlace> (&records)[kPerLane], unsigned lane, unsigned run, Less less) {
  for (unsigned distance = run; distance > 0; distance /= 2) {
    const LanePartner partner = lane_partner(lane, run, distance);
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < kPerLane; ++i) {
      const Record<kHasPlace> other = from_lane(records[i], partner.lane);
      if (partner.is_active) records[i] = kept(records[i], other, partner.own_end, less);
    }
  }
  exchange_near<4>(records, lane, run, less);
  exchange_near<2>(records, lane, run, less);
  exchange_near<1>(records, lane, run, less);
}

// Sorts tiles of kSatishTile records by odd-even merge sort. A tile that is not full is filled with records of the
// greatest key and later places: they come last, or change places only with records that are equal in all bits.
template <bool kHasValue, typename Less>
__global__ __launch_bounds__(kSatishThreads) void satish_tile_sort_kernel(RecordArray<kHasValue> records,
                                                                          std::uint64_t count, Less less) {
  constexpr bool kHasPlace = Less::kEqualKeysDiffer;
  using Buffer = SharedRecords<kHasPlace, 16>;
  __shared__ __align__(8) std::uint8_t memory[kSatishWarps][Buffer::bytes_of(kSatishTile)];
  const unsigned lane = threadIdx.x % kLanes;
  const std::uint64_t begin = (std::uint64_t{blockIdx.x} * kSatishWarps + threadIdx.x / kLanes) * kSatishTile;
  if (begin >= count) return;
  const unsigned present = count - begin < kSatishTile ? static_cast<unsigned>(count - begin) : kSatishTile;
  const Buffer buffer = Buffer::at(memory[threadIdx.x / kLanes], kSatishTile);
  SPILLWAY_UNROLL
  for (unsigned j = 0; j < kPerLane; ++j) {
    const unsigned i = j * kLanes + lane;
    buffer.keys[buffer.slot(i)] = i < present ? records.keys[begin + i] : ~std::uint64_t{0};
  }
  __syncwarp();
  Record<kHasPlace> own[kPerLane];
  SPILLWAY_UNROLL
  for (unsigned i = 0; i < kPerLane; ++i) {
    own[i].key = buffer.key(lane * kPerLane + i);
    if constexpr (kHasPlace) own[i].value = lane * kPerLane + i;
  }
  sort_in_lane(own, less);
  for (unsigned run = 1; run < kLanes; run *= 2) merge_lanes(own, lane, run, less);
  SPILLWAY_UNROLL
  for (unsigned i = 0; i < kPerLane; ++i) buffer.store(lane * kPerLane + i, own[i]);
  __syncwarp();
  Record<kHasValue> sorted[kPerLane];
  SPILLWAY_UNROLL
  for (unsigned j = 0; j < kPerLane; ++j) {
    const unsigned i = j * kLanes + lane;
    const Record<kHasPlace> record = buffer.load(i);
    sorted[j].key = record.key;
    if constexpr (kHasValue) sorted[j].value = i < present ? records.values[begin + record.value] : 0;
  }
  __syncwarp();  // all values are read before the first is written
  SPILLWAY_UNROLL
  for (unsigned j = 0; j < kPerLane; ++j) {
    if (j * kLanes + lane < present) records.store(begin + j * kLanes + lane, sorted[j]);
  }
}

// Copies every kSatishTile-th record, with its number as value.
template <bool kHasValue>
__global__ void satish_splitters_kernel(RecordArray<kHasValue> from, std::uint64_t splitters, RecordArray<true> to) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < splitters) to.store(i, {from.keys[i * kSatishTile], static_cast<std::uint32_t>(i)});
}

// Merges pairs of runs shorter than a tile, one thread a record: the innermost merge of splitters.
template <bool kHasValue, typename Less>
__global__ void satish_short_merge_kernel(RecordArray<kHasValue> from, RecordArray<kHasValue> to, TreeLevel level,
                                          Less less) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < level.count) to.store(merged_place(from.keys, level, i, less), from.load(i));
}

// Finds where the merged splitters cut both runs of their pair.
struct SplitterMerge {
  const std::uint64_t* keys;
  TreeLevel level;
  const std::uint32_t* numbers;  // of the merged splitters
  std::uint64_t count;
};
template <typename Less>
__global__ void satish_split_kernel(const __grid_constant__ SplitterMerge merged, TreeSplit* splits, Less less) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < merged.count) splits[k] = split_at(merged.keys, merged.level, k, merged.numbers[k], less);
}

// The records of a tile that come from one run: up to 8 a lane, which the lane ranks among the other run's records.
template <bool kHasValue, Side kSide>
struct TileSide {
  Record<kHasValue> records[kPerLane];
  unsigned places[kPerLane];

  __device__ void load(const RecordArray<kHasValue>& from, std::uint64_t begin, unsigned count,
                       const RecordArray<kHasValue>& buffer, unsigned lane) {
    SPILLWAY_UNROLL
    for (unsigned j = 0; j < kPerLane; ++j) {
      const unsigned i = j * kLanes + lane;
      if (i < count) records[j] = from.load(begin + i);
    }
    SPILLWAY_UNROLL
    for (unsigned j = 0; j < kPerLane; ++j) {
      const unsigned i = j * kLanes + lane;
      if (i < count) buffer.keys[i] = records[j].key;
    }
  }
  template <typename Less>
  __device__ void rank(const std::uint64_t* other, unsigned other_count, unsigned count, unsigned lane, Less less) {
    constexpr Side kOther = kSide == Side::kLeft ? Side::kRight : Side::kLeft;
    SPILLWAY_UNROLL
    for (unsigned j = 0; j < kPerLane; ++j) {
      if (j * kLanes >= count) break;
      places[j] = j * kLanes + lane + place_in_range<kOther>(other, other_count, records[j].key, less);
    }
  }
  __device__ void scatter(const RecordArray<kHasValue>& buffer, unsigned count, unsigned lane) const {
    SPILLWAY_UNROLL
    for (unsigned j = 0; j < kPerLane; ++j) {
      if (j * kLanes + lane < count) buffer.store(places[j], records[j]);
    }
  }
};

// The tiles of one level; a tile is a whole pair of runs where `splits` is null.
template <bool kHasValue>
struct LevelTiles {
  RecordArray<kHasValue> from, to;
  TreeLevel level;
  const TreeSplit* splits;
  std::uint64_t count;
};

// Merges tiles: a record's place is its rank in its own run plus its rank in the other.
template <bool kHasValue, typename Less>
__global__ __launch_bounds__(kSatishThreads, kHasValue ? 5 : 8) void satish_merge_kernel(
    const __grid_constant__ LevelTiles<kHasValue> tiles, Less less) {
  __shared__ std::uint64_t keys[kSatishWarps][2 * kSatishTile];
  __shared__ std::uint32_t values[kSatishWarps][kHasValue ? 2 * kSatishTile : 1];
  const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const std::uint64_t number = std::uint64_t{blockIdx.x} * kSatishWarps + warp;
  if (number >= tiles.count) return;
  const TreeTile tile = tiles.splits == nullptr ? whole_pair(tiles.level, number)
                                                : tile_between(tiles.level, tiles.splits, number, tiles.count);
  const RecordArray<kHasValue> buffer{keys[warp], values[warp]};
  TileSide<kHasValue, Side::kLeft> left;
  TileSide<kHasValue, Side::kRight> right;
  left.load(tiles.from, tile.left, tile.left_count, buffer, lane);
  right.load(tiles.from, tile.right, tile.right_count, {buffer.keys + tile.left_count, nullptr}, lane);
  __syncwarp();
  left.rank(buffer.keys + tile.left_count, tile.right_count, tile.left_count, lane, less);
  right.rank(buffer.keys, tile.left_count, tile.right_count, lane, less);
  __syncwarp();
  left.scatter(buffer, tile.left_count, lane);
  right.scatter(buffer, tile.right_count, lane);
  __syncwarp();
  for (unsigned i = lane; i < tile.left_count + tile.right_count; i += kLanes)
    tiles.to.store(tile.out + i, buffer.load(i));
}

}  // namespace spillway
