// What the 32 threads of a warp make of their values, all of them taking part, by shuffles: a GPU of compute capability
// 7.5 has no instruction for it.
#pragma once

#include <cstdint>

namespace spillway {

__device__ inline std::uint32_t warp_sum(std::uint32_t value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  return value;
}
__device__ inline std::uint32_t warp_min(std::uint32_t value) {
  for (int distance = 16; distance > 0; distance /= 2) value = min(value, __shfl_xor_sync(~0u, value, distance));
  return value;
}
__device__ inline std::uint32_t warp_max(std::uint32_t value) {
  for (int distance = 16; distance > 0; distance /= 2) value = max(value, __shfl_xor_sync(~0u, value, distance));
  return value;
}
__device__ inline std::uint32_t warp_bits(std::uint32_t value) {
  for (int distance = 16; distance > 0; distance /= 2) value |= __shfl_xor_sync(~0u, value, distance);
  return value;
}

}  // namespace spillway
