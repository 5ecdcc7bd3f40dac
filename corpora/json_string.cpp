#include "corpora/json_string.hpp"

#include <immintrin.h>

#include <array>
#include <cstdint>

namespace spillway {

namespace {

constexpr std::array<char, 256> kSimpleEscapes = [] {
  std::array<char, 256> table{};
  table['"'] = '"';
  table['\\'] = '\\';
  table['/'] = '/';
  table['b'] = '\b';
  table['f'] = '\f';
  table['n'] = '\n';
  table['r'] = '\r';
  table['t'] = '\t';
  return table;
}();

constexpr std::array<std::uint32_t, 256> kHexDigits = [] {
  std::array<std::uint32_t, 256> table{};
  for (auto& value : table) value = 0x10000;
  for (unsigned i = 0; i < 10; ++i) table['0' + i] = i;
  for (unsigned i = 0; i < 6; ++i) table['a' + i] = table['A' + i] = 10 + i;
  return table;
}();

// `in` is behind "\u". Moves it behind the escape; nullptr where it is malformed or a lone surrogate.
const char* unescape_unicode(const char* in, char** out) {
  unsigned character = parse_hex4(in);
  if (character > 0xFFFF) return nullptr;
  in += 4;
  if (character >= 0xD800 && character < 0xE000) {
    if (character >= 0xDC00 || in[0] != '\\' || in[1] != 'u') return nullptr;
    const unsigned low = parse_hex4(in + 2);
    if (low < 0xDC00 || low > 0xDFFF) return nullptr;
    character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
    in += 6;
  }
  *out = write_utf8(character, *out);
  return in;
}

struct Sse2 {
  static constexpr std::size_t kBytes = 16;
  // Copies a block and marks quotes, backslashes and control characters in it.
  static unsigned copy(const char* in, char* out) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), block);
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1F)), block);
    const __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(quote, backslash))));
  }
};

struct Avx2 {
  static constexpr std::size_t kBytes = 32;
  __attribute__((target("avx2"))) static unsigned copy(const char* in, char* out) {
    const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), block);
    const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(block, _mm256_set1_epi8(0x1F)), block);
    const __m256i quote = _mm256_cmpeq_epi8(block, _mm256_set1_epi8('"'));
    const __m256i backslash = _mm256_cmpeq_epi8(block, _mm256_set1_epi8('\\'));
    return static_cast<unsigned>(_mm256_movemask_epi8(_mm256_or_si256(control, _mm256_or_si256(quote, backslash))));
  }
};

// A macro, because a template cannot take its target attribute from its argument.
#define SPILLWAY_UNESCAPE_BODY(Simd)                                      \
  for (;;) {                                                              \
    const unsigned special = Simd::copy(in, out);                         \
    if (special == 0) {                                                   \
      in += Simd::kBytes;                                                 \
      out += Simd::kBytes;                                                \
      continue;                                                           \
    }                                                                     \
    const auto plain = static_cast<unsigned>(__builtin_ctz(special));     \
    in += plain;                                                          \
    out += plain;                                                         \
    if (*in == '"') return {in + 1, out};                                 \
    if (*in != '\\') return {nullptr, out};                               \
    const char simple = kSimpleEscapes[static_cast<std::uint8_t>(in[1])]; \
    if (simple != 0) {                                                    \
      *out++ = simple;                                                    \
      in += 2;                                                            \
      continue;                                                           \
    }                                                                     \
    if (in[1] != 'u') return {nullptr, out};                              \
    in = unescape_unicode(in + 2, &out);                                  \
    if (in == nullptr) return {nullptr, out};                             \
  }

}  // namespace

UnescapedString unescape_string_sse2(const char* in, char* out) { SPILLWAY_UNESCAPE_BODY(Sse2) }

__attribute__((target("avx2"))) UnescapedString unescape_string_avx2(const char* in,
                                                                     char* out){SPILLWAY_UNESCAPE_BODY(Avx2)}
#undef SPILLWAY_UNESCAPE_BODY

UnescapeFunction best_unescape_function() {
  return __builtin_cpu_supports("avx2") ? unescape_string_avx2 : unescape_string_sse2;
}

unsigned parse_hex4(const char* digits) {
  const auto value = [&](int i) { return kHexDigits[static_cast<std::uint8_t>(digits[i])]; };
  if (value(0) > 15 || value(1) > 15 || value(2) > 15 || value(3) > 15) return 0x10000;
  return value(0) << 12 | value(1) << 8 | value(2) << 4 | value(3);
}

char* write_utf8(unsigned character, char* out) {
  const auto put = [&](unsigned byte) { *out++ = static_cast<char>(byte); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0 | character >> 6);
    put(0x80 | (character & 0x3F));
  } else if (character < 0x10000) {
    put(0xE0 | character >> 12);
    put(0x80 | (character >> 6 & 0x3F));
    put(0x80 | (character & 0x3F));
  } else {
    put(0xF0 | character >> 18);
    put(0x80 | (character >> 12 & 0x3F));
    put(0x80 | (character >> 6 & 0x3F));
    put(0x80 | (character & 0x3F));
  }
  return out;
}

char simple_escape(char letter) { return kSimpleEscapes[static_cast<std::uint8_t>(letter)]; }

}  // namespace spillway
