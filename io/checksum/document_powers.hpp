// Tables of the powers r^document that sums over postings are made of (io/checksum/content_checksum.hpp), and products
// in lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "io/checksum/content_checksum.hpp"
#include "io/checksum/vector_scans.hpp"

namespace spillway {

// r^(i * 4096 + j) is high[i] * low[j].
struct DocumentPowers {
  static constexpr std::size_t kCount = std::size_t{1} << DocumentWeight::kLowBits;
  std::array<std::uint64_t, kCount> low{}, high{};
};

// The first call builds them.
const DocumentPowers& document_powers();

// Products of residues modulo 2^61 - 1, in halves of 31 and 30 bits: below 2^61 + 8.
SPILLWAY_SCAN_TARGET inline __m512i multiply_lanes(__m512i a, __m512i b) {
  const __m512i a_high = _mm512_srli_epi64(a, 31), b_high = _mm512_srli_epi64(b, 31);
  const __m512i low_bits = _mm512_set1_epi64(0x7FFFFFFF), prime = _mm512_set1_epi64(field61::kPrime);
  const __m512i a_low = _mm512_and_si512(a, low_bits), b_low = _mm512_and_si512(b, low_bits);
  const __m512i middle = _mm512_add_epi64(_mm512_mul_epu32(a_high, b_low), _mm512_mul_epu32(a_low, b_high));
  // 2^62 is 2, and of the middle what passes 30 bits is 2^61 times that, so 1 times.
  __m512i sum =
      _mm512_add_epi64(_mm512_mul_epu32(a_low, b_low), _mm512_slli_epi64(_mm512_mul_epu32(a_high, b_high), 1));
  sum = _mm512_add_epi64(sum, _mm512_srli_epi64(middle, 30));
  sum = _mm512_add_epi64(sum, _mm512_slli_epi64(_mm512_and_si512(middle, _mm512_set1_epi64(0x3FFFFFFF)), 31));
  return _mm512_add_epi64(_mm512_and_si512(sum, prime), _mm512_srli_epi64(sum, 61));
}

}  // namespace spillway
