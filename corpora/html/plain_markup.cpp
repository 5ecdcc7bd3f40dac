#include "corpora/html/plain_markup.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "corpora/html/elements.hpp"
#include "corpora/html/handler.hpp"
#include "corpora/html/reference.hpp"
#include "io/base/vector_intrinsics.hpp"

namespace spillway {

namespace {

struct TextMasks {
  std::uint64_t stops = 0;   // < & NUL
  std::uint64_t spaces = 0;  // white space
};

struct TagMasks {
  std::uint64_t ends = 0;  // >
  std::uint64_t gaps = 0;  // white space and /
  std::uint64_t equals = 0, single_quotes = 0, double_quotes = 0;
};

constexpr std::uint8_t kAlways = 0x80;

// By role: the bits of `stops` that stop the loop.
constexpr std::array<std::uint8_t, 11> kRoleStops = [] {
  std::array<std::uint8_t, 11> stops{};
  stops.fill(kAlways);
  stops[static_cast<std::size_t>(HtmlRole::kNone)] = 0;
  stops[static_cast<std::size_t>(HtmlRole::kAlternative)] = kStopAtAlternatives;
  stops[static_cast<std::size_t>(HtmlRole::kMeta)] = kStopAtMeta;
  return stops;
}();

// Lowers the letters A-Z of eight bytes.
inline std::uint64_t lower_packed(std::uint64_t bytes) {
  constexpr std::uint64_t kEach = 0x0101010101010101u;
  const std::uint64_t low = bytes & 0x7F * kEach;
  const std::uint64_t from_a = low + (0x80 - 'A') * kEach, after_z = low + (0x7F - 'Z') * kEach;
  return bytes | ((from_a & ~after_z & ~bytes & 0x80 * kEach) >> 2);
}

HtmlElement long_element(const char* name, unsigned length) {
  char lowered[16];
  if (length > sizeof lowered) return {};
  for (unsigned i = 0; i < length; ++i) lowered[i] = html_lower(name[i]);
  return html_element({lowered, length});
}

// Requires: 8 readable bytes.
inline HtmlElement plain_element(const char* name, unsigned length) {
  if (length > 8) return long_element(name, length);
  std::uint64_t packed;
  std::memcpy(&packed, name, 8);
  return html_element_packed(lower_packed(packed & ~std::uint64_t{0} >> (64 - 8 * length)));
}

struct PlainReference {
  unsigned bytes = 0;  // 0: not plain
  char* to = nullptr;
  std::uint64_t spaced = 0;
};

template <std::size_t kSize>
bool starts_with(const char* at, const char (&text)[kSize]) {
  return std::memcmp(at, text, kSize - 1) == 0;
}

// Reads the reference at `at` by the complete rules. Requires: 64 readable bytes.
PlainReference read_any_reference(const char* at, char* to, std::uint64_t spaced) {
  HtmlReference reference;
  reference.start(HtmlReferencePlace::kText);
  const auto used = static_cast<unsigned>(reference.feed({at + 1, 63}));
  if (!reference.done()) return {};
  const std::string_view text = reference.text();
  if (text.size() > 1 || !is_html_space(text.front())) {
    std::memcpy(to, text.data(), text.size());
    return {1 + used, to + text.size(), 0};
  }
  *to = ' ';
  return {1 + used, to + (spaced == 0 ? 1 : 0), 1};
}

PlainReference read_plain_reference(const char* at, char* to, std::uint64_t spaced) {
  const auto put = [to](char character, unsigned bytes) {
    *to = character;
    return PlainReference{bytes, to + 1, 0};
  };
  if (starts_with(at, "&lt;")) return put('<', 4);
  if (starts_with(at, "&gt;")) return put('>', 4);
  if (starts_with(at, "&amp;")) return put('&', 5);
  if (starts_with(at, "&quot;")) return put('"', 6);
  if (starts_with(at, "&#39;")) return put('\'', 5);
  if (starts_with(at, "&nbsp;")) {
    std::memcpy(to, "\xC2\xA0", 2);
    return {6, to + 2, 0};
  }
  return read_any_reference(at, to, spaced);
}

// Copies the bytes of `kept`, one stretch after the other. Requires: 64 readable bytes after `bytes + 63`.
inline char* copy_stretches(const char* bytes, std::uint64_t kept, char* to) {
  while (kept != 0) {
    const auto begin = static_cast<unsigned>(std::countr_zero(kept));
    const auto length = static_cast<unsigned>(std::countr_one(kept >> begin));
    std::memcpy(to, bytes + begin, 64);
    to += length;
    if (begin + length == 64) break;
    kept &= ~std::uint64_t{0} << (begin + length);
  }
  return to;
}

std::size_t read_nothing(std::string_view, std::uint8_t, HtmlTextWriter&) { return 0; }

namespace sse2 {

#define SPILLWAY_HTML_TARGET
struct Vector {
  static __m128i load(const char* bytes, unsigned part) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
  }
  static __m128i equal(__m128i block, char byte) { return _mm_cmpeq_epi8(block, _mm_set1_epi8(byte)); }
  static std::uint64_t mask(__m128i block, unsigned part) {
    return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(block))} << (16 * part);
  }
  static __m128i spaces(__m128i block) {
    const __m128i controls = _mm_cmplt_epi8(_mm_add_epi8(block, _mm_set1_epi8(static_cast<char>(0x80 - '\t'))),
                                            _mm_set1_epi8(-128 + ('\r' - '\t' + 1)));
    return _mm_or_si128(equal(block, ' '), _mm_andnot_si128(equal(block, '\v'), controls));
  }
  static TextMasks text_masks(const char* bytes) {
    TextMasks masks;
    for (unsigned part = 0; part < 4; ++part) {
      const __m128i block = load(bytes, part);
      const __m128i stops = _mm_or_si128(_mm_or_si128(equal(block, '<'), equal(block, '&')), equal(block, '\0'));
      masks.stops |= mask(stops, part);
      masks.spaces |= mask(spaces(block), part);
    }
    return masks;
  }
  static TagMasks tag_masks(const char* bytes) {
    TagMasks masks;
    for (unsigned part = 0; part < 4; ++part) {
      const __m128i block = load(bytes, part);
      masks.ends |= mask(equal(block, '>'), part);
      masks.gaps |= mask(_mm_or_si128(spaces(block), equal(block, '/')), part);
      masks.equals |= mask(equal(block, '='), part);
      masks.single_quotes |= mask(equal(block, '\''), part);
      masks.double_quotes |= mask(equal(block, '"'), part);
    }
    return masks;
  }
  static std::uint64_t find(const char* bytes, char byte) {
    std::uint64_t found = 0;
    for (unsigned part = 0; part < 4; ++part) found |= mask(equal(load(bytes, part), byte), part);
    return found;
  }
  static char* copy(const char* bytes, const TextMasks&, std::uint64_t kept, char* to) {
    alignas(16) char spaced[128];
    for (unsigned part = 0; part < 4; ++part) {
      const __m128i block = load(bytes, part), space = spaces(block);
      _mm_store_si128(reinterpret_cast<__m128i*>(spaced + 16 * part),
                      _mm_or_si128(_mm_and_si128(space, _mm_set1_epi8(' ')), _mm_andnot_si128(space, block)));
    }
    return copy_stretches(spaced, kept, to);
  }
};
#include "corpora/html/plain_markup_body.hpp"
#undef SPILLWAY_HTML_TARGET

}  // namespace sse2

namespace avx2 {

#define SPILLWAY_HTML_TARGET __attribute__((target("avx2,bmi,lzcnt,popcnt")))
struct Vector {
  SPILLWAY_HTML_TARGET static __m256i load(const char* bytes, unsigned part) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 32 * part));
  }
  SPILLWAY_HTML_TARGET static __m256i equal(__m256i block, char byte) {
    return _mm256_cmpeq_epi8(block, _mm256_set1_epi8(byte));
  }
  SPILLWAY_HTML_TARGET static std::uint64_t mask(__m256i block, unsigned part) {
    return std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(block))} << (32 * part);
  }
  // A table by low nibble has the one white space of that nibble.
  SPILLWAY_HTML_TARGET static __m256i spaces(__m256i block) {
    const __m256i table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(' ', -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, '\f', '\r', -1, -1));
    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, block), block);
  }
  SPILLWAY_HTML_TARGET static TextMasks text_masks(const char* bytes) {
    TextMasks masks;
    for (unsigned part = 0; part < 2; ++part) {
      const __m256i block = load(bytes, part);
      masks.stops |=
          mask(_mm256_or_si256(_mm256_or_si256(equal(block, '<'), equal(block, '&')), equal(block, '\0')), part);
      masks.spaces |= mask(spaces(block), part);
    }
    return masks;
  }
  SPILLWAY_HTML_TARGET static TagMasks tag_masks(const char* bytes) {
    TagMasks masks;
    for (unsigned part = 0; part < 2; ++part) {
      const __m256i block = load(bytes, part);
      masks.ends |= mask(equal(block, '>'), part);
      masks.gaps |= mask(_mm256_or_si256(spaces(block), equal(block, '/')), part);
      masks.equals |= mask(equal(block, '='), part);
      masks.single_quotes |= mask(equal(block, '\''), part);
      masks.double_quotes |= mask(equal(block, '"'), part);
    }
    return masks;
  }
  SPILLWAY_HTML_TARGET static std::uint64_t find(const char* bytes, char byte) {
    return mask(equal(load(bytes, 0), byte), 0) | mask(equal(load(bytes, 1), byte), 1);
  }
  SPILLWAY_HTML_TARGET static char* copy(const char* bytes, const TextMasks&, std::uint64_t kept, char* to) {
    const __m256i first = load(bytes, 0), second = load(bytes, 1), space = _mm256_set1_epi8(' ');
    const __m256i low = _mm256_blendv_epi8(first, space, spaces(first));
    const __m256i high = _mm256_blendv_epi8(second, space, spaces(second));
    if ((kept & (kept + 1)) == 0) {  // one stretch from the first byte on
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), low);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32), high);
      return to + std::countr_one(kept);
    }
    alignas(32) char spaced[128];
    _mm256_store_si256(reinterpret_cast<__m256i*>(spaced), low);
    _mm256_store_si256(reinterpret_cast<__m256i*>(spaced + 32), high);
    return copy_stretches(spaced, kept, to);
  }
};
#include "corpora/html/plain_markup_body.hpp"
#undef SPILLWAY_HTML_TARGET

}  // namespace avx2

namespace avx512 {

#define SPILLWAY_HTML_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi,lzcnt,popcnt")))
struct Vector {
  SPILLWAY_HTML_TARGET static std::uint64_t equal(__m512i block, char byte) {
    return _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte));
  }
  SPILLWAY_HTML_TARGET static std::uint64_t spaces(__m512i block) {
    const __m512i table =
        _mm512_broadcast_i32x4(_mm_setr_epi8(' ', -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, '\f', '\r', -1, -1));
    return _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(table, block), block);
  }
  SPILLWAY_HTML_TARGET static TextMasks text_masks(const char* bytes) {
    const __m512i block = _mm512_loadu_si512(bytes);
    return {equal(block, '<') | equal(block, '&') | _mm512_testn_epi8_mask(block, block), spaces(block)};
  }
  SPILLWAY_HTML_TARGET static TagMasks tag_masks(const char* bytes) {
    const __m512i block = _mm512_loadu_si512(bytes);
    return {equal(block, '>'), spaces(block) | equal(block, '/'), equal(block, '='), equal(block, '\''),
            equal(block, '"')};
  }
  SPILLWAY_HTML_TARGET static std::uint64_t find(const char* bytes, char byte) {
    return equal(_mm512_loadu_si512(bytes), byte);
  }
  SPILLWAY_HTML_TARGET static char* copy(const char* bytes, const TextMasks& masks, std::uint64_t kept, char* to) {
    const __m512i block = _mm512_loadu_si512(bytes);
    const __m512i spaced = _mm512_mask_mov_epi8(block, masks.spaces, _mm512_set1_epi8(' '));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(kept, spaced));
    return to + _mm_popcnt_u64(kept);
  }
};
#include "corpora/html/plain_markup_body.hpp"
#undef SPILLWAY_HTML_TARGET

}  // namespace avx512

constexpr PlainMarkupKernel kKernels[] = {{"none", read_nothing},
                                          {"sse2", sse2::read_plain_markup},
                                          {"avx2", avx2::read_plain_markup},
                                          {"avx512", avx512::read_plain_markup}};

}  // namespace

std::span<const PlainMarkupKernel> all_plain_markup_kernels() {
  static const std::size_t kCount = []() -> std::size_t {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi")) return 2;
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2") ? 4 : 3;
  }();
  return std::span(kKernels).first(kCount);
}

ReadPlainMarkup best_plain_markup_kernel() { return all_plain_markup_kernels().back().read; }

}  // namespace spillway
