// Skips bytes that mean nothing to the tokenizer, 16 at a time.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <string_view>

namespace spillway {

// Index of the first byte that is one of three; the size of `bytes` if there is none. Two of the three may be the same.
inline std::size_t find_any(std::string_view bytes, char first, char second, char third) {
  const __m128i a = _mm_set1_epi8(first), b = _mm_set1_epi8(second), c = _mm_set1_epi8(third);
  std::size_t at = 0;
  for (; at + 16 <= bytes.size(); at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
    const __m128i found =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, a), _mm_cmpeq_epi8(block, b)), _mm_cmpeq_epi8(block, c));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (mask != 0) return at + static_cast<std::size_t>(__builtin_ctz(mask));
  }
  while (at < bytes.size() && bytes[at] != first && bytes[at] != second && bytes[at] != third) ++at;
  return at;
}

// Index of the first `byte`; the size of `bytes` if there is none.
inline std::size_t find_byte(std::string_view bytes, char byte) {
  const std::size_t found = bytes.find(byte);
  return found == std::string_view::npos ? bytes.size() : found;
}

}  // namespace spillway
