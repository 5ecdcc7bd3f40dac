// Block-wide scans of gpu-string-merge: the sum, and the last value, of the threads before each thread.
#pragma once

#include "sort/gpu/string_merge/set.cuh"

namespace spillway {

namespace string_merge {

// Returns the sum of `value` over the threads before this one, and over all. Requires: all threads of the block call
// it.
struct BlockSum {
  std::uint32_t before, all;
};
inline __device__ BlockSum sum_before(std::uint32_t value, std::uint32_t (&of_warps)[kThreads / 32]) {
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::uint32_t sum = value;
  for (std::uint32_t step = 1; step < 32; step *= 2) {
    const std::uint32_t below = __shfl_up_sync(0xFFFFFFFF, sum, step);
    if (lane >= step) sum += below;
  }
  __syncthreads();
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  BlockSum result{sum - value, 0};
  for (std::uint32_t i = 0; i < kThreads / 32; ++i) {
    if (i == warp) result.before += result.all;
    result.all += of_warps[i];
  }
  return result;
}

// Returns the last value of the threads before this one that is not kNone, or kNone. Requires: all threads of the block
// call it.
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;
inline __device__ std::uint32_t last_before(std::uint32_t value, std::uint32_t (&of_warps)[kThreads / 32]) {
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned having = __ballot_sync(0xFFFFFFFF, value != kNone);
  const unsigned before = having & ((1u << lane) - 1);
  const std::uint32_t last = __shfl_sync(0xFFFFFFFF, value, 31 - __clz(static_cast<int>(having | 1)));
  const std::uint32_t in_warp = __shfl_sync(0xFFFFFFFF, value, 31 - __clz(static_cast<int>(before | 1)));
  __syncthreads();
  if (lane == 0) of_warps[warp] = having == 0 ? kNone : last;
  __syncthreads();
  if (before != 0) return in_warp;
  for (std::uint32_t i = warp; i-- > 0;) {
    if (of_warps[i] != kNone) return of_warps[i];
  }
  return kNone;
}

}  // namespace string_merge

}  // namespace spillway
