#include "corpora/json/string.hpp"

#include <array>
#include <bit>
#include <cstdint>

#include "corpora/json/escapes.hpp"
#include "io/base/vector_intrinsics.hpp"

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

// The value of four hexadecimal digits; above 0xFFFF if they are not hexadecimal digits.
unsigned parse_hex4(const char* digits) {
  return hex_value(digits[0]) << 12 | hex_value(digits[1]) << 8 | hex_value(digits[2]) << 4 | hex_value(digits[3]);
}

// Writes the character of the escape whose "\u" ends at `in`, and returns the end of the escape; nullptr if it is
// malformed or a lone surrogate.
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

// Bits of the bytes from 0x80, gathered in a register: `to` could be any of the bytes that are written.
class HighBytes {
 public:
  explicit HighBytes(std::uint64_t& to) : to_(to) {}
  ~HighBytes() { to_ |= bits_; }
  HighBytes(const HighBytes&) = delete;
  HighBytes& operator=(const HighBytes&) = delete;
  void add(std::uint64_t bits) { bits_ |= bits; }

 private:
  std::uint64_t& to_;
  std::uint64_t bits_ = 0;
};

struct Sse2 {
  static constexpr std::size_t kBytes = 16;
  // Copies 16 bytes and returns a mask of the quotes, backslashes and control characters. Adds bytes from 0x80 to
  // `high`.
  static unsigned copy(const char* in, char* out, HighBytes& high) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
    high.add(static_cast<std::uint32_t>(_mm_movemask_epi8(block)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), block);
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1F)), block);
    const __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(quote, backslash))));
  }
};

struct Avx2 {
  static constexpr std::size_t kBytes = 32;
  __attribute__((target("avx2"))) static unsigned copy(const char* in, char* out, HighBytes& high) {
    const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
    high.add(static_cast<std::uint32_t>(_mm256_movemask_epi8(block)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), block);
    const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(block, _mm256_set1_epi8(0x1F)), block);
    const __m256i quote = _mm256_cmpeq_epi8(block, _mm256_set1_epi8('"'));
    const __m256i backslash = _mm256_cmpeq_epi8(block, _mm256_set1_epi8('\\'));
    return static_cast<unsigned>(_mm256_movemask_epi8(_mm256_or_si256(control, _mm256_or_si256(quote, backslash))));
  }
};

// A macro, because a template cannot take its target attribute from an argument.
#define SPILLWAY_UNESCAPE_BODY(Simd)                                      \
  HighBytes high_bytes(high);                                             \
  for (;;) {                                                              \
    const unsigned special = Simd::copy(in, out, high_bytes);             \
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

UnescapedString unescape_string_sse2(const char* in, char* out, std::uint64_t& high) { SPILLWAY_UNESCAPE_BODY(Sse2) }

__attribute__((target("avx2"))) UnescapedString unescape_string_avx2(const char* in, char* out, std::uint64_t& high) {
  SPILLWAY_UNESCAPE_BODY(Avx2)
}
#undef SPILLWAY_UNESCAPE_BODY

#define SPILLWAY_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")))

namespace {

enum class Extent : bool { kString, kPart };

// 64 bytes at a time without a branch for simple escapes: removes the backslashes that escape and translates the
// letters after them. A part ends after the last space or control character of a block, from byte `least` on.
template <Extent kExtent>
SPILLWAY_AVX512 [[gnu::always_inline]] inline UnescapedPart unescape_avx512(const char* in, std::size_t least,
                                                                            char* out, std::uint64_t& high) {
  const __m512i backslash = _mm512_set1_epi8('\\'), two = _mm512_set1_epi8(2), first_plain = _mm512_set1_epi8(0x21);
  const __m512i escapes_low = _mm512_loadu_si512(kSimpleEscapes.data());
  const __m512i escapes_high = _mm512_loadu_si512(kSimpleEscapes.data() + 64);
  const char* const begin = in;
  HighBytes high_bytes(high);
  EscapeFinder finder;
  for (;;) {
    const __m512i block = _mm512_loadu_si512(in);
    const auto [escaping, escaped] = finder.next(_mm512_cmpeq_epi8_mask(block, backslash));
    const std::uint64_t high_here = _mm512_movepi8_mask(block);
    high_bytes.add(high_here);
    const __m512i translated = _mm512_permutex2var_epi8(escapes_low, block, escapes_high);
    // Exchanging the bits of 0x20 and 0x22 leaves quotes and control characters below 0x21.
    const std::uint64_t ends = _mm512_cmplt_epu8_mask(_mm512_xor_si512(block, two), first_plain);
    const std::uint64_t unknown = escaped & (high_here | _mm512_testn_epi8_mask(translated, translated));
    const std::uint64_t stops = (ends & ~escaped) | unknown;  // escaped control characters and 'u' are unknown
    const std::uint64_t before = stops == 0 ? ~std::uint64_t{0} : (stops & (0 - stops)) - 1;
    const std::uint64_t kept = ~escaping & before;
    const __m512i text = _mm512_mask_mov_epi8(block, escaped, translated);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, text));
    if (stops == 0) {
      in += 64;
      if constexpr (kExtent == Extent::kPart) {
        const std::uint64_t spaces = kept & _mm512_cmplt_epu8_mask(text, first_plain);
        if (static_cast<std::size_t>(in - begin) >= least && spaces != 0) {
          const int after = std::countl_zero(spaces);
          return {in - after, out + _mm_popcnt_u64(kept << after), false};
        }
      }
      out += _mm_popcnt_u64(kept);
      continue;
    }
    out += _mm_popcnt_u64(kept);
    const std::uint64_t stop = stops & (0 - stops);
    in += std::countr_zero(stops) + 1;
    const bool is_escaped = (escaped & stop) != 0;
    if (!is_escaped && in[-1] == '"') return {in, out, true};
    if (!is_escaped || in[-1] != 'u') return {nullptr, out, true};
    in = unescape_unicode(in, &out);
    if (in == nullptr) return {nullptr, out, true};
    finder.restart();
  }
}

}  // namespace

SPILLWAY_AVX512 UnescapedString unescape_string_avx512(const char* in, char* out, std::uint64_t& high) {
  const UnescapedPart whole = unescape_avx512<Extent::kString>(in, 0, out, high);
  return {whole.next, whole.out};
}

SPILLWAY_AVX512 UnescapedPart unescape_part_avx512(const char* in, std::size_t least, char* out, std::uint64_t& high) {
  return unescape_avx512<Extent::kPart>(in, least, out, high);
}

bool has_unescape_avx512() {
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("popcnt");
}

UnescapeFunction best_unescape_function() {
  if (has_unescape_avx512()) return unescape_string_avx512;
  return __builtin_cpu_supports("avx2") ? unescape_string_avx2 : unescape_string_sse2;
}

unsigned hex_value(char digit) { return kHexDigits[static_cast<std::uint8_t>(digit)]; }

char simple_escape(char letter) { return kSimpleEscapes[static_cast<std::uint8_t>(letter)]; }

}  // namespace spillway
