// Finds the byte values that occur in a set of strings on the device: its alphabet.
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

__device__ inline void mark_byte(std::uint32_t* s_used, unsigned byte) {
  const std::uint32_t bit = 1u << (byte % 32);
  if ((s_used[byte / 32] & bit) == 0) atomicOr(&s_used[byte / 32], bit);
}

__device__ inline void mark_bytes(std::uint32_t* s_used, const uint4& bytes) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    mark_byte(s_used, bytes.x >> shift & 255);
    mark_byte(s_used, bytes.y >> shift & 255);
    mark_byte(s_used, bytes.z >> shift & 255);
    mark_byte(s_used, bytes.w >> shift & 255);
  }
}

// Sets bit b % 32 of word b / 32 of used[8] for each byte value b that occurs. Reads each byte once. Requires: all
// threads of the grid call this; blocks of at least 8 threads.
__device__ inline void find_used_bytes(const DeviceStrings& strings, std::uint32_t* used) {
  __shared__ std::uint32_t s_used[8];
  if (threadIdx.x < 8) s_used[threadIdx.x] = 0;
  __syncthreads();
  const std::size_t thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x, quads = strings.total_bytes / 16;
  const auto* d_quads = reinterpret_cast<const uint4*>(strings.d_bytes);
  std::size_t at = thread;
  for (; at + 3 * threads < quads; at += 4 * threads) {
    const uint4 some[4] = {d_quads[at], d_quads[at + threads], d_quads[at + 2 * threads], d_quads[at + 3 * threads]};
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) mark_bytes(s_used, some[i]);
  }
  for (; at < quads; at += threads) mark_bytes(s_used, d_quads[at]);
  for (std::size_t i = quads * 16 + thread; i < strings.total_bytes; i += threads) {
    mark_byte(s_used, strings.d_bytes[i]);
  }
  __syncthreads();
  if (threadIdx.x < 8 && s_used[threadIdx.x] != 0) atomicOr(&used[threadIdx.x], s_used[threadIdx.x]);
}

}  // namespace spillway
