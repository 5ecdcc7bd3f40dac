// The kernels of gpu-quick. A round divides every large segment by its pivot, with as many blocks as it has tiles;
// segments of up to a tile are sorted by one block.
#pragma once

#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_scan.cuh>

#include "sort/gpu/interface/key_order.hpp"

namespace spillway::quick {

inline constexpr unsigned kThreads = 256, kKeys = 8;     // of a thread
inline constexpr unsigned kTileKeys = kThreads * kKeys;  // 2048: 16 KiB of shared memory in the last sort
inline constexpr unsigned kSamples = 9;                  // the pivot is their median

// A segment of more than a tile, and where its parts go. The first three members are set by the host, and the pivot if
// has_pivot is; the counters begin at 0.
struct Segment {
  unsigned long long begin = 0, count = 0, has_pivot = 0, pivot = 0;
  unsigned long long less = 0, greater = 0;                               // keys below and above the pivot
  unsigned long long less_taken = 0, equal_taken = 0, greater_taken = 0;  // places that blocks have reserved
};

struct Tile {
  std::uint32_t segment, index;  // of the segment's tiles
};

// Up to a tile of keys whose place is known but for their order; `is_equal`: they have none.
struct Piece {
  unsigned long long begin;
  std::uint32_t count, is_equal;
};

// A place in a segment that neighbours and rounds do not share (SplitMix64).
__device__ inline unsigned long long sample_place(const Segment& segment, unsigned sample, unsigned round) {
  unsigned long long x = segment.begin * 64 + round * 16 + sample;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return segment.begin + (x ^ (x >> 31)) % segment.count;
}

template <typename Less>
__global__ void pick_pivots_kernel(const std::uint64_t* d_keys, Segment* d_segments, std::uint32_t count,
                                   unsigned round, Less less) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count || d_segments[i].has_pivot != 0) return;
  std::uint64_t samples[kSamples];
  for (unsigned s = 0; s < kSamples; ++s) {
    const std::uint64_t key = d_keys[sample_place(d_segments[i], s, round)];
    unsigned at = s;
    for (; at > 0 && less(key, samples[at - 1]); --at) samples[at] = samples[at - 1];
    samples[at] = key;
  }
  d_segments[i].pivot = samples[kSamples / 2];
}

// The keys of a thread in its tile, a row of the block apart, and which of them there are.
struct TileKeys {
  std::uint64_t keys[kKeys];
  unsigned count = 0;
  __device__ TileKeys(const std::uint64_t* d_keys, const Segment& segment, const Tile& tile) {
    const unsigned long long first = static_cast<unsigned long long>(tile.index) * kTileKeys + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < kKeys; ++k) {
      const unsigned long long at = first + k * kThreads;
      if (at >= segment.count) break;
      keys[k] = d_keys[segment.begin + at];
      count = k + 1;
    }
  }
};

// 21 bits each for the keys below, equal to and above the pivot.
template <typename Less>
__device__ std::uint64_t packed_counts(const TileKeys& tile, std::uint64_t pivot, Less less) {
  std::uint64_t counts = 0;
#pragma unroll
  for (unsigned k = 0; k < kKeys; ++k) {
    if (k >= tile.count) break;
    const std::uint64_t key = tile.keys[k];
    counts += less(key, pivot) ? 1 : less(pivot, key) ? std::uint64_t{1} << 42 : std::uint64_t{1} << 21;
  }
  return counts;
}
__device__ inline unsigned less_of(std::uint64_t counts) { return static_cast<unsigned>(counts & 0x1FFFFF); }
__device__ inline unsigned equal_of(std::uint64_t counts) { return static_cast<unsigned>(counts >> 21 & 0x1FFFFF); }
__device__ inline unsigned greater_of(std::uint64_t counts) { return static_cast<unsigned>(counts >> 42); }

using CountScan = cub::BlockScan<std::uint64_t, kThreads>;

template <typename Less>
__global__ __launch_bounds__(kThreads) void count_kernel(const std::uint64_t* d_keys, Segment* d_segments,
                                                         const Tile* d_tiles, Less less) {
  __shared__ typename CountScan::TempStorage storage;
  const Tile tile = d_tiles[blockIdx.x];
  Segment& segment = d_segments[tile.segment];
  const TileKeys own(d_keys, segment, tile);
  std::uint64_t before = 0, all = 0;
  CountScan(storage).ExclusiveSum(packed_counts(own, segment.pivot, less), before, all);
  if (threadIdx.x != 0) return;
  if (less_of(all) != 0) atomicAdd(&segment.less, less_of(all));
  if (greater_of(all) != 0) atomicAdd(&segment.greater, greater_of(all));
}

template <typename Less>
__global__ __launch_bounds__(kThreads) void divide_kernel(const std::uint64_t* d_from, std::uint64_t* d_to,
                                                          Segment* d_segments, const Tile* d_tiles, Less less) {
  __shared__ typename CountScan::TempStorage storage;
  __shared__ unsigned long long s_begins[3];
  const Tile tile = d_tiles[blockIdx.x];
  Segment& segment = d_segments[tile.segment];
  const std::uint64_t pivot = segment.pivot;
  const TileKeys own(d_from, segment, tile);
  std::uint64_t before = 0, all = 0;
  CountScan(storage).ExclusiveSum(packed_counts(own, pivot, less), before, all);
  if (threadIdx.x == 0) {
    s_begins[0] = segment.begin + atomicAdd(&segment.less_taken, less_of(all));
    s_begins[1] = segment.begin + segment.less + atomicAdd(&segment.equal_taken, equal_of(all));
    s_begins[2] = segment.begin + segment.count - segment.greater + atomicAdd(&segment.greater_taken, greater_of(all));
  }
  __syncthreads();
  unsigned long long below = s_begins[0] + less_of(before), equal = s_begins[1] + equal_of(before),
                     above = s_begins[2] + greater_of(before);
#pragma unroll
  for (unsigned k = 0; k < kKeys; ++k) {
    if (k >= own.count) break;
    const std::uint64_t key = own.keys[k];
    d_to[less(key, pivot) ? below++ : less(pivot, key) ? above++ : equal++] = key;
  }
}

// Sorts each piece, or copies it if its keys are equal. Requires: d_from == d_to, or the piece's place in d_to is free.
template <typename Less>
__global__ __launch_bounds__(kThreads) void finish_kernel(const std::uint64_t* d_from, std::uint64_t* d_to,
                                                          const Piece* d_pieces, Less less) {
  using Sort = cub::BlockMergeSort<std::uint64_t, kThreads, kKeys>;
  __shared__ typename Sort::TempStorage storage;
  const Piece piece = d_pieces[blockIdx.x];
  constexpr std::uint64_t kLast = ~std::uint64_t{0};  // stands after equal keys, because the sort is stable
  std::uint64_t keys[kKeys];
#pragma unroll
  for (unsigned k = 0; k < kKeys; ++k) {
    const unsigned at = threadIdx.x * kKeys + k;
    keys[k] = at < piece.count ? d_from[piece.begin + at] : kLast;
  }
  if (piece.is_equal == 0) {
    Sort(storage).StableSort(keys, less, static_cast<int>(piece.count), kLast);
  }
#pragma unroll
  for (unsigned k = 0; k < kKeys; ++k) {
    const unsigned at = threadIdx.x * kKeys + k;
    if (at < piece.count) d_to[piece.begin + at] = keys[k];
  }
}

}  // namespace spillway::quick
