// A merge pass of gpu-string-merge over runs in device memory: merges pairs of runs by their keys, one tile of the
// output a block.
#pragma once

#include "sort/gpu/string_merge/tile.cuh"

namespace spillway {

namespace string_merge {

// The groups whose strings a round sorts, one after another. In the first round (d_groups is null) all strings are one
// group.
struct RoundGroups {
  const MergeGroup* d_groups;
  std::uint32_t bits;  // of the group's number, at the top of a key
  // Returns the group of a key. Requires: there are groups.
  __device__ MergeGroup of(PrefixKey key) const { return d_groups[bits == 0 ? 0 : key >> (64 - bits)]; }
  // Returns the place in the result of string `at` of the sorted round.
  __device__ std::size_t place(PrefixKey key, std::size_t at) const {
    if (d_groups == nullptr) return at;
    const MergeGroup group = of(key);
    return group.begin + (at - group.first);
  }
};

// The output of a pass: keys, and the indices for the next pass or, in the last pass, in the result.
struct RoundOutput {
  PrefixKey* d_keys;
  std::uint32_t *d_indices, *d_order;  // d_order: null before the last pass
  RoundGroups groups;
  __device__ void put(std::size_t at, PrefixKey key, std::uint32_t index) const {
    d_keys[at] = key;
    if (d_order == nullptr) {
      d_indices[at] = index;
    } else {
      d_order[groups.place(key, at)] = index;
    }
  }
};

// Runs of `run` keys each; the last one may be shorter.
struct RoundRuns {
  const PrefixKey* d_keys;
  const std::uint32_t* d_indices;
  std::size_t count, run;
};

// The pair of neighbouring runs that a place of the output belongs to.
struct PassPair {
  std::size_t begin;  // of run a; run b follows
  std::uint32_t a_count, b_count;
  __device__ PassPair(const RoundRuns& runs, std::size_t at) : begin(at / (2 * runs.run) * (2 * runs.run)) {
    const std::size_t left = runs.count - begin;
    a_count = static_cast<std::uint32_t>(left < runs.run ? left : runs.run);
    b_count = static_cast<std::uint32_t>(left - a_count < runs.run ? left - a_count : runs.run);
  }
};

// Returns pair.shared_bytes(), found by all lanes of a warp: each loads 8 of 256 neighbouring bytes, kAtOnce times.
// Requires: all lanes call it, with the same pair.
template <std::uint32_t kAtOnce>
__device__ std::uint32_t warp_shared_bytes(const PivotPair& pair) {
  constexpr std::uint32_t kStep = 32 * 8;
  const std::uint64_t least = pair.compared_bytes();
  if (pair.is_pivot()) return static_cast<std::uint32_t>(least);
  const std::uint8_t *const a = pair.string.data, *const b = pair.pivot.data;
  for (std::uint64_t begin = pair.group.depth; begin < least; begin += kAtOnce * kStep) {
    UnalignedWord a_words[kAtOnce], b_words[kAtOnce];
    std::uint32_t bytes[kAtOnce];
    const std::uint64_t own = begin + threadIdx.x % 32 * 8;
#pragma unroll
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      const std::uint64_t at = own + i * kStep;
      bytes[i] = at >= least ? 0 : least - at < 8 ? static_cast<std::uint32_t>(least - at) : 8;
      a_words[i] = load_unaligned(a + at, bytes[i]);
      b_words[i] = load_unaligned(b + at, bytes[i]);
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      const std::uint64_t at = own + i * kStep;
      const std::uint64_t difference =
          big_endian(a_words[i], a + at, bytes[i]) ^ big_endian(b_words[i], b + at, bytes[i]);
      const unsigned differing = __ballot_sync(0xFFFFFFFF, difference != 0);
      if (differing == 0) continue;
      const auto shared = static_cast<std::uint32_t>(at + leading_zeros(difference) / 8);
      return __shfl_sync(0xFFFFFFFF, shared, __ffs(static_cast<int>(differing)) - 1);
    }
  }
  return static_cast<std::uint32_t>(least);
}

// Returns the first number of [begin, end) for which is_before() is false, or end. Requires: is_before() is false for
// all numbers after it; all lanes of a warp call it. O(log32(end - begin)) rounds of 32 probes.
template <typename IsBefore>
__device__ std::uint32_t warp_partition_point(std::uint32_t begin, std::uint32_t end, IsBefore is_before) {
  const std::uint32_t lane = threadIdx.x % 32;
  while (begin < end) {
    // The probes divide the range into 33; all that are before come first.
    const std::uint32_t size = end - begin;
    const auto border = [&](std::uint32_t i) {
      return begin + static_cast<std::uint32_t>(std::uint64_t{size} * i / 33);
    };
    const std::uint32_t probe = border(lane + 1);
    const std::uint32_t before = __popc(__ballot_sync(0xFFFFFFFF, probe < end && is_before(probe)));
    const std::uint32_t next = before == 0 ? begin : border(before) + 1;
    end = before == 32 ? end : border(before + 1);
    begin = next;
  }
  return begin;
}

// Returns how many of the pair's first `diagonal` merged strings come from run a. Requires: all lanes of a warp call
// it.
inline __device__ std::uint32_t find_cut(const PrefixKey* d_keys, const PassPair& pair, std::uint32_t diagonal) {
  const PrefixKey *a = d_keys + pair.begin, *b = a + pair.a_count;
  const std::uint32_t begin = diagonal > pair.b_count ? diagonal - pair.b_count : 0;
  return warp_partition_point(begin, diagonal < pair.a_count ? diagonal : pair.a_count,
                              [&](std::uint32_t i) { return a[i] <= b[diagonal - 1 - i]; });
}

inline __device__ std::uint32_t tile_count(std::size_t count) {
  const std::size_t left = count - std::size_t{blockIdx.x} * kTile;
  return left < kTile ? static_cast<std::uint32_t>(left) : kTile;
}

// Finds where the tiles of the output begin in run a of their pair, one warp a tile.
__global__ void __launch_bounds__(kThreads) find_cuts_kernel(RoundRuns runs, std::uint32_t* d_cuts) {
  const std::size_t tile = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) / 32, at = tile * kTile;
  if (at >= runs.count) return;
  const PassPair pair(runs, at);
  const std::uint32_t cut = find_cut(runs.d_keys, pair, static_cast<std::uint32_t>(at - pair.begin));
  if (threadIdx.x % 32 == 0) d_cuts[tile] = cut;
}

// `d_cuts`: the result of find_cuts_kernel, or null: then each block finds its own cuts, which saves a launch.
__global__ void __launch_bounds__(kThreads, blocks_at_once(7))
    merge_tiles_kernel(RoundRuns runs, const std::uint32_t* d_cuts, RoundOutput output) {
  __shared__ TileStorage storage;
  __shared__ std::uint32_t indices[kTile], cuts[2];
  const std::size_t at = std::size_t{blockIdx.x} * kTile;
  const std::uint32_t count = tile_count(runs.count), begin = threadIdx.x * kEach;
  const PassPair pair(runs, at);
  const auto diagonal = static_cast<std::uint32_t>(at - pair.begin);
  const bool is_last = diagonal + count == pair.a_count + pair.b_count;
  if (threadIdx.x < 64 && (threadIdx.x < 32 || !is_last)) {
    const std::uint32_t which = threadIdx.x / 32;
    const std::uint32_t cut =
        d_cuts != nullptr ? d_cuts[blockIdx.x + which] : find_cut(runs.d_keys, pair, diagonal + which * count);
    if (threadIdx.x % 32 == 0) cuts[which] = cut;
  }
  if (threadIdx.x == 64 && is_last) cuts[1] = pair.a_count;
  __syncthreads();
  const std::uint32_t a_count = cuts[1] - cuts[0];
  const std::size_t a = pair.begin + cuts[0], b = pair.begin + pair.a_count + (diagonal - cuts[0]);
  const TileKeys keys{storage};
#pragma unroll
  for (std::uint32_t i = threadIdx.x; i < kTile; i += kThreads) {
    if (i >= count) break;
    const std::size_t from = i < a_count ? a + i : b + (i - a_count);
    keys[i] = runs.d_keys[from];
    indices[i] = runs.d_indices[from];
  }
  __syncthreads();
  const bool is_merged = a_count == 0 || a_count == count;
  if (!is_merged && begin < count) {
    merge_own({keys, keys.behind(a_count), a_count, count - a_count}, begin,
              [&](std::uint32_t i, PrefixKey, std::uint32_t number) {
                keys.origin(begin + i) = static_cast<std::uint16_t>(number);
              });
  }
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    const std::uint32_t from = is_merged ? i : keys.origin(i);
    output.put(at + i, keys[from], indices[from]);
  }
}

}  // namespace string_merge

}  // namespace spillway
