// What the kernels of gpu-string-radix count for the host, and what they share.
#pragma once

#include <cstdint>

#include "sort/gpu/string_radix/segments.hpp"

namespace spillway {

inline constexpr unsigned kStringThreads = 256;

// Segments of a list, and the strings in them.
struct ListCounters {
  std::uint32_t segments;
  std::uint32_t strings;
};

// What the host reads back between rounds.
struct StringCounters {
  std::uint32_t used[8];                   // byte values that occur, as for make_string_digits
  std::uint32_t longest;                   // bytes of the longest string; in later rounds, of what is left of it
  std::uint32_t unsplit;                   // segments that a round left as they were: never
  ListCounters lists[kFinishClasses + 1];  // the last one: large segments of this round
  ListCounters kept;                       // those of them that go on
};

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

}  // namespace spillway
