// Running sums and position values over the lanes of AVX-512 vectors: for the loops over positions, where the CPU has
// them.
#pragma once

#pragma GCC diagnostic push
#ifndef __clang__
// GCC 12 takes the undefined operands inside its own intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <cstdint>

#define SPILLWAY_SCAN_TARGET __attribute__((target("avx512f")))

namespace spillway {

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

// position_value() of each of 16 positions.
SPILLWAY_SCAN_TARGET inline __m512i position_values(__m512i positions) {
  __m512i values = _mm512_mullo_epi32(_mm512_add_epi32(positions, _mm512_set1_epi32(1)),
                                      _mm512_set1_epi32(static_cast<int>(0x9E3779B1U)));
  values = _mm512_xor_si512(values, _mm512_srli_epi32(values, 15));
  return _mm512_mullo_epi32(values, _mm512_set1_epi32(static_cast<int>(0x85EBCA77U)));
}

// Writes the running sums of 16 positions' values, from `sum` on; returns the last.
SPILLWAY_SCAN_TARGET inline std::uint64_t scan_position_values(__m512i positions, std::uint64_t sum,
                                                               std::uint64_t* sums) {
  const __m512i values = position_values(positions);
  const __m512i low = scan_epi64(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(values)));
  const __m512i high = scan_epi64(_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(values, 1)));
  const __m512i low_sums = _mm512_add_epi64(low, _mm512_set1_epi64(static_cast<long long>(sum)));
  const __m512i middle = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), low_sums);
  _mm512_storeu_si512(sums, low_sums);
  _mm512_storeu_si512(sums + 8, _mm512_add_epi64(high, middle));
  return sums[15];
}

}  // namespace spillway
