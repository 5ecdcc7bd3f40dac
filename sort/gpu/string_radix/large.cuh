// Kernels over the large segments of gpu-string-radix: their offsets, their common prefixes, and the selection of those
// that need another round.
#pragma once

#include <cub/block/block_scan.cuh>

#include "sort/gpu/device/warp.cuh"
#include "sort/gpu/string/words.hpp"
#include "sort/gpu/string_radix/counters.cuh"

namespace spillway {

struct LargeRound {
  LargeSegments segments;
  std::uint32_t segment_count = 0;
  std::uint32_t string_count = 0;
  bool splits_all = false;  // keys begin after the prefix that a segment shares
  __device__ std::uint32_t place(std::uint32_t segment, std::uint32_t at) const {
    return segments.start[segment] + (at - segments.offset[segment]);
  }
};

// Returns the segment of string `at`. Requires: all threads of a block call this, with consecutive `at`. A block sees
// at most two segments, because a large one has more strings than a block has threads.
__device__ inline std::uint32_t find_segment(const LargeSegments& segments, std::uint32_t count, std::uint32_t at) {
  static_assert(kSmallSegment > kStringThreads);
  __shared__ std::uint32_t s_segment;
  if (threadIdx.x == 0) {
    std::uint32_t low = 0, high = count;  // offset[low] <= at < offset[high]
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (segments.offset[middle] <= at ? low : high) = middle;
    }
    s_segment = low;
  }
  __syncthreads();
  const std::uint32_t segment = s_segment;
  __syncthreads();
  return segment + (segment + 1 < count && segments.offset[segment + 1] <= at ? 1 : 0);
}

// The thread's string of a round and its segment. Requires: all threads of a block make one.
struct RoundPlace {
  bool is_in;
  std::uint32_t at, segment;
  __device__ explicit RoundPlace(const LargeRound& round) {
    const std::size_t thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    is_in = thread < round.string_count;
    at = is_in ? static_cast<std::uint32_t>(thread) : round.string_count - 1;
    segment = find_segment(round.segments, round.segment_count, at);
  }
};

// Lowers the segment's common prefix to what string `index` shares with its first string, and raises its greatest
// length. Requires: all lanes of the warp call this.
__device__ inline void find_shared_prefix(const DeviceStrings& strings, const LargeSegments& segments,
                                          std::uint32_t segment, std::uint32_t index, const std::uint32_t* order) {
  const DeviceString first = string_at(strings, order[segments.start[segment]]);
  DeviceString string = string_at(strings, index);
  const std::uint32_t longest = string.bytes;
  string.bytes = min(string.bytes, *static_cast<volatile std::uint32_t*>(&segments.shared[segment]));
  const std::uint32_t shared = shared_prefix(first, string, segments.depth[segment]);
  int is_same = 0;
  __match_all_sync(~0u, segment, &is_same);
  const std::uint32_t least = is_same != 0 ? warp_min(shared) : shared;
  const std::uint32_t most = is_same != 0 ? warp_max(longest) : longest;
  if (is_same != 0 && threadIdx.x % 32 != 0) return;
  if (least < *static_cast<volatile std::uint32_t*>(&segments.shared[segment])) {
    atomicMin(&segments.shared[segment], least);
  }
  if (most > *static_cast<volatile std::uint32_t*>(&segments.longest[segment])) {
    atomicMax(&segments.longest[segment], most);
  }
}

__global__ void find_shared_prefixes_kernel(DeviceStrings strings, LargeSegments segments, const std::uint32_t* order,
                                            const StringCounters* counters) {
  const ListCounters large = counters->lists[kFinishClasses];
  const LargeRound round{segments, large.segments, large.strings};
  for (std::size_t block = blockIdx.x * std::size_t{blockDim.x}; block < large.strings;
       block += std::size_t{gridDim.x} * blockDim.x) {
    const std::size_t thread = block + threadIdx.x;
    const auto at = static_cast<std::uint32_t>(thread < large.strings ? thread : large.strings - 1);
    const std::uint32_t segment = find_segment(segments, large.segments, at);
    find_shared_prefix(strings, segments, segment, order[round.place(segment, at)], order);
  }
}

__device__ inline void write_large(const LargeSegments& segments, std::uint32_t at, const Segment& segment) {
  segments.start[at] = segment.start;
  segments.offset[at] = segment.count;
  segments.depth[at] = segment.depth;
  segments.shared[at] = ~0u;
  segments.longest[at] = 0;
}

// The following kernels have one block, because the lists of large segments are short.
inline constexpr unsigned kListThreads = 1024;

// Replaces the number of strings of each large segment by its offset.
__global__ __launch_bounds__(kListThreads) void number_segments_kernel(std::uint32_t* offset,
                                                                       const StringCounters* counters) {
  using Scan = cub::BlockScan<std::uint32_t, kListThreads>;
  __shared__ Scan::TempStorage s_scan;
  const std::uint32_t count = counters->lists[kFinishClasses].segments;
  std::uint32_t before = 0;
  for (std::uint32_t first = 0; first < count; first += kListThreads) {
    const std::uint32_t at = first + threadIdx.x;
    std::uint32_t strings = at < count ? offset[at] : 0, all = 0;
    Scan(s_scan).ExclusiveSum(strings, strings, all);
    if (at < count) offset[at] = before + strings;
    before += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) offset[count] = before;
}

// Drops segments of equal strings; the others continue after the prefix that they share.
__global__ __launch_bounds__(kListThreads) void keep_segments_kernel(LargeSegments found, LargeSegments kept,
                                                                     StringCounters* counters) {
  using Scan = cub::BlockScan<std::uint64_t, kListThreads>;
  __shared__ Scan::TempStorage s_scan;
  __shared__ std::uint32_t s_longest;
  if (threadIdx.x == 0) s_longest = 0;
  const std::uint32_t count = counters->lists[kFinishClasses].segments;
  std::uint64_t before = 0;  // segments in the upper 32 bits, strings in the lower
  std::uint32_t longest = 0;
  for (std::uint32_t first = 0; first < count; first += kListThreads) {
    const std::uint32_t i = first + threadIdx.x;
    const bool is_kept = i < count && found.shared[i] < found.longest[i];
    std::uint64_t own = 0, all = 0;
    if (is_kept) own = std::uint64_t{1} << 32 | (found.offset[i + 1] - found.offset[i]);
    Scan(s_scan).ExclusiveSum(own, own, all);
    if (is_kept) {
      const auto place = static_cast<std::uint32_t>((before + own) >> 32);
      kept.start[place] = found.start[i];
      kept.offset[place] = static_cast<std::uint32_t>(before + own);
      kept.depth[place] = found.shared[i];
      longest = max(longest, found.longest[i] - found.shared[i]);
    }
    before += all;
    __syncthreads();
  }
  longest = warp_max(longest);
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicMax(&s_longest, longest);
  __syncthreads();
  if (threadIdx.x != 0) return;
  const ListCounters all{static_cast<std::uint32_t>(before >> 32), static_cast<std::uint32_t>(before)};
  kept.offset[all.segments] = all.strings;
  counters->kept = all;
  counters->longest = s_longest;
  counters->lists[kFinishClasses] = {0, 0};
}

}  // namespace spillway
