// The counters that the kernels of gpu-string-radix report to the host.
#pragma once

#include <cstdint>

#include "sort/gpu/string_radix/segments.hpp"

namespace spillway {

inline constexpr unsigned kStringThreads = 256;

// The segments of a list and their strings.
struct ListCounters {
  std::uint32_t segments;
  std::uint32_t strings;
};

// The host reads these between rounds.
struct StringCounters {
  std::uint32_t used[8];  // byte values that occur, as for make_string_digits
  std::uint32_t longest;  // bytes of the longest string; in later rounds, the most bytes that a string has left
  std::uint32_t unsplit;  // segments that a round did not split; an internal error if not 0
  ListCounters lists[kFinishClasses + 1];  // by class; the last element counts large segments of this round
  ListCounters kept;                       // the large segments that need another round
  std::uint32_t left;                      // segments that a finishing kernel left
};

}  // namespace spillway
