// Finds ASCII letters and digits in a vector of bytes and lowers the letters, with SSE2, AVX2 or AVX-512. Inlined into
// code that is compiled for the same instruction set.
#pragma once

#include "io/base/vector_intrinsics.hpp"

namespace spillway {

// SSE2 and AVX2 results have all bits of a byte set where the answer is yes. A byte c is in ['0','9'] if and only if
// c - '0' - 128 < 10 - 128, signed and with wrapping subtraction. Setting bit 0x20 lowers a letter.
[[gnu::always_inline]] inline __m128i are_digits(__m128i bytes) {
  return _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(0x80 - '0'))),
                        _mm_set1_epi8(static_cast<char>(-128 + 10)));
}
[[gnu::always_inline]] inline __m128i are_letters(__m128i bytes) {
  const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
  return _mm_cmplt_epi8(_mm_add_epi8(folded, _mm_set1_epi8(static_cast<char>(0x80 - 'a'))),
                        _mm_set1_epi8(static_cast<char>(-128 + 26)));
}
[[gnu::always_inline]] inline __m128i lower_letters(__m128i bytes, __m128i letters) {
  return _mm_or_si128(bytes, _mm_and_si128(letters, _mm_set1_epi8(0x20)));
}

#define SPILLWAY_LETTERS_AVX2 [[gnu::always_inline]] __attribute__((target("avx2"))) inline
SPILLWAY_LETTERS_AVX2 __m256i are_digits(__m256i bytes) {
  return _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(-128 + 10)),
                           _mm256_add_epi8(bytes, _mm256_set1_epi8(static_cast<char>(0x80 - '0'))));
}
SPILLWAY_LETTERS_AVX2 __m256i are_letters(__m256i bytes) {
  const __m256i folded = _mm256_or_si256(bytes, _mm256_set1_epi8(0x20));
  return _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(-128 + 26)),
                           _mm256_add_epi8(folded, _mm256_set1_epi8(static_cast<char>(0x80 - 'a'))));
}
SPILLWAY_LETTERS_AVX2 __m256i lower_letters(__m256i bytes, __m256i letters) {
  return _mm256_or_si256(bytes, _mm256_and_si256(letters, _mm256_set1_epi8(0x20)));
}
#undef SPILLWAY_LETTERS_AVX2

#define SPILLWAY_LETTERS_AVX512 [[gnu::always_inline]] __attribute__((target("avx512f,avx512bw"))) inline
SPILLWAY_LETTERS_AVX512 __mmask64 are_digits(__m512i bytes) {
  return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
}
SPILLWAY_LETTERS_AVX512 __mmask64 are_letters(__m512i bytes) {
  const __m512i folded = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
  return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(folded, _mm512_set1_epi8('a')), _mm512_set1_epi8(26));
}
SPILLWAY_LETTERS_AVX512 __m512i lower_letters(__m512i bytes, __mmask64 letters) {
  return _mm512_mask_mov_epi8(bytes, letters, _mm512_or_si512(bytes, _mm512_set1_epi8(0x20)));
}
#undef SPILLWAY_LETTERS_AVX512

}  // namespace spillway
