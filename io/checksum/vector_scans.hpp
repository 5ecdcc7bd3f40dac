// Running sums, products and position values over the lanes of AVX-512 vectors, for the loops over positions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/base/vector_intrinsics.hpp"
#include "io/checksum/document_powers.hpp"

#define SPILLWAY_SCAN_TARGET __attribute__((target("avx512f")))

namespace spillway {

// Sums eight lanes modulo 2^64. (GCC adds the last two of _mm512_reduce_add_epi64 as signed numbers.)
SPILLWAY_SCAN_TARGET inline std::uint64_t sum_epu64(__m512i lanes) {
  const __m256i four = _mm256_add_epi64(_mm512_castsi512_si256(lanes), _mm512_extracti64x4_epi64(lanes, 1));
  const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(two)) + static_cast<std::uint64_t>(_mm_extract_epi64(two, 1));
}

SPILLWAY_SCAN_TARGET inline __m512i scan_epi32(__m512i values) {
  const __m512i zeros = _mm512_setzero_si512();
  values = _mm512_add_epi32(values, _mm512_alignr_epi32(values, zeros, 15));
  values = _mm512_add_epi32(values, _mm512_alignr_epi32(values, zeros, 14));
  values = _mm512_add_epi32(values, _mm512_alignr_epi32(values, zeros, 12));
  return _mm512_add_epi32(values, _mm512_alignr_epi32(values, zeros, 8));
}

SPILLWAY_SCAN_TARGET inline __m512i scan_epi64(__m512i values) {
  const __m512i zeros = _mm512_setzero_si512();
  values = _mm512_add_epi64(values, _mm512_alignr_epi64(values, zeros, 7));
  values = _mm512_add_epi64(values, _mm512_alignr_epi64(values, zeros, 6));
  return _mm512_add_epi64(values, _mm512_alignr_epi64(values, zeros, 4));
}

// Multiplies residues modulo 2^61 - 1 in halves of 31 and 30 bits. Results are below 2^61 + 8.
SPILLWAY_SCAN_TARGET inline __m512i multiply_lanes(__m512i a, __m512i b) {
  const __m512i a_high = _mm512_srli_epi64(a, 31), b_high = _mm512_srli_epi64(b, 31);
  const __m512i low_bits = _mm512_set1_epi64(0x7FFFFFFF), prime = _mm512_set1_epi64(field61::kPrime);
  const __m512i a_low = _mm512_and_si512(a, low_bits), b_low = _mm512_and_si512(b, low_bits);
  const __m512i middle = _mm512_add_epi64(_mm512_mul_epu32(a_high, b_low), _mm512_mul_epu32(a_low, b_high));
  // 2^62 is congruent to 2. The bits of `middle` above 30 count 2^61 times, which is congruent to once.
  __m512i sum =
      _mm512_add_epi64(_mm512_mul_epu32(a_low, b_low), _mm512_slli_epi64(_mm512_mul_epu32(a_high, b_high), 1));
  sum = _mm512_add_epi64(sum, _mm512_srli_epi64(middle, 30));
  sum = _mm512_add_epi64(sum, _mm512_slli_epi64(_mm512_and_si512(middle, _mm512_set1_epi64(0x3FFFFFFF)), 31));
  return _mm512_add_epi64(_mm512_and_si512(sum, prime), _mm512_srli_epi64(sum, 61));
}

// position_value() of 16 positions.
SPILLWAY_SCAN_TARGET inline __m512i position_values(__m512i positions) {
  __m512i values = _mm512_mullo_epi32(_mm512_add_epi32(positions, _mm512_set1_epi32(1)),
                                      _mm512_set1_epi32(static_cast<int>(0x9E3779B1U)));
  values = _mm512_xor_si512(values, _mm512_srli_epi32(values, 15));
  return _mm512_mullo_epi32(values, _mm512_set1_epi32(static_cast<int>(0x85EBCA77U)));
}

// Computes the running sums of the values of 16 positions, starting at `sum` (in all lanes). Writes the sums at the
// lanes in `ends` to *to and moves *to past them; `sum` becomes the last. Requires: room for eight words after those
// written.
__attribute__((target("avx512f,popcnt"))) inline void scan_position_values(__m512i positions, __mmask16 ends,
                                                                           __m512i& sum, std::uint64_t** to) {
  const __m512i last_lane = _mm512_set1_epi64(7);
  const __m512i values = position_values(positions);
  const __m512i low = scan_epi64(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(values)));
  const __m512i high = scan_epi64(_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(values, 1)));
  const __m512i both = _mm512_add_epi64(high, _mm512_permutexvar_epi64(last_lane, low));
  const auto low_ends = static_cast<__mmask8>(ends), high_ends = static_cast<__mmask8>(ends >> 8);
  std::uint64_t* const middle = *to + _mm_popcnt_u32(low_ends);
  _mm512_storeu_si512(*to, _mm512_maskz_compress_epi64(low_ends, _mm512_add_epi64(low, sum)));
  _mm512_storeu_si512(middle, _mm512_maskz_compress_epi64(high_ends, _mm512_add_epi64(both, sum)));
  *to = middle + _mm_popcnt_u32(high_ends);
  sum = _mm512_add_epi64(sum, _mm512_permutexvar_epi64(last_lane, both));
}

// Bits i to i + 15 of a bit string.
inline __mmask16 sixteen_bits(const std::uint64_t* bits, std::size_t i) {
  const std::uint64_t low = bits[i / 64] >> i % 64;
  return static_cast<__mmask16>(i % 64 <= 48 ? low : low | bits[i / 64 + 1] << (64 - i % 64));
}

}  // namespace spillway
