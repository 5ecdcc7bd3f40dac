#include "merge/cursor/term_starts.hpp"

#include <algorithm>
#include <array>

#include "io/checksum/vector_scans.hpp"

namespace spillway {

namespace {

constexpr std::size_t kLanes = 8;

const bool kHasLanes = __builtin_cpu_supports("avx512f");

SPILLWAY_SCAN_TARGET std::uint64_t least_in_lanes(const std::uint64_t* starts) {
  __m512i least = _mm512_load_si512(starts);
  for (std::size_t i = kLanes; i < kTermStarts; i += kLanes) {
    least = _mm512_min_epu64(least, _mm512_load_si512(starts + i));
  }
  return _mm512_reduce_min_epu64(least);
}

SPILLWAY_SCAN_TARGET std::uint64_t equal_in_lanes(const std::uint64_t* starts, std::uint64_t start) {
  const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(start));
  std::uint64_t equal = 0;
  for (std::size_t i = 0; i < kTermStarts; i += kLanes) {
    equal |= std::uint64_t{_mm512_cmpeq_epi64_mask(wanted, _mm512_load_si512(starts + i))} << i;
  }
  return equal;
}

}  // namespace

// Four independent chains of minima hide the latency of each.
std::uint64_t least_start_portable(const std::uint64_t* starts) {
  std::array<std::uint64_t, 4> least{starts[0], starts[1], starts[2], starts[3]};
  for (std::size_t i = least.size(); i < kTermStarts; i += least.size()) {
    for (std::size_t k = 0; k < least.size(); ++k) least[k] = std::min(least[k], starts[i + k]);
  }
  return std::min({least[0], least[1], least[2], least[3]});
}

std::uint64_t equal_starts_portable(const std::uint64_t* starts, std::uint64_t start) {
  std::uint64_t equal = 0;
  for (std::size_t i = 0; i < kTermStarts; ++i) equal |= std::uint64_t{starts[i] == start} << i;
  return equal;
}

std::uint64_t least_start(const std::uint64_t* starts) {
  return kHasLanes ? least_in_lanes(starts) : least_start_portable(starts);
}

std::uint64_t equal_starts(const std::uint64_t* starts, std::uint64_t start) {
  return kHasLanes ? equal_in_lanes(starts, start) : equal_starts_portable(starts, start);
}

}  // namespace spillway
