// Where lines end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "io/base/vector_intrinsics.hpp"

namespace spillway {

// Bit i tells whether from[i] is `byte`, for 64 bytes.
inline std::uint64_t match_64(const std::uint8_t* from, char byte) {
  const __m128i wanted = _mm_set1_epi8(byte);
  std::uint64_t bits = 0;
  for (unsigned i = 0; i != 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 16 * i));
    bits |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)))} << (16 * i);
  }
  return bits;
}

// Calls take(end) for each line end in [from, to), in order.
template <typename Take>
void for_each_line_end(const std::uint8_t* from, const std::uint8_t* to, char line_end, const Take& take) {
  for (; to - from >= 64; from += 64) {
    for (std::uint64_t bits = match_64(from, line_end); bits != 0; bits &= bits - 1) {
      take(from + std::countr_zero(bits));
    }
  }
  for (; from != to; ++from) {
    if (*from == static_cast<std::uint8_t>(line_end)) take(from);
  }
}

}  // namespace spillway
