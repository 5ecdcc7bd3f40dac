#include "sort/lines/keys/order.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/base/vector_intrinsics.hpp"

namespace spillway {

namespace {

// The first blank from `at` on, or the first other byte; 16 bytes at once.
template <bool is_wanted_blank>
const char* find_byte(const char* at, const char* end) {
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto equal = [&](char byte) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte)); };
    const __m128i blanks = _mm_or_si128(_mm_or_si128(equal(' '), equal('\t')), equal('\n'));
    const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(blanks));
    const std::uint32_t wanted = is_wanted_blank ? mask : mask ^ 0xFFFFU;
    if (wanted != 0) return at + std::countr_zero(wanted);
  }
  while (at < end && is_blank(*at) != is_wanted_blank) ++at;
  return at;
}

const char* skip_blanks(const char* at, const char* end) { return find_byte<false>(at, end); }

const char* find_separator(const char* at, const char* end, char separator) {
  if (at == end) return end;
  const void* const found = std::memchr(at, separator, static_cast<std::size_t>(end - at));
  return found == nullptr ? end : static_cast<const char*>(found);
}

const char* skip_field(const char* at, const char* end) { return find_byte<true>(skip_blanks(at, end), end); }

const char* advance(const char* at, const char* end, std::size_t bytes) {
  return at + std::min(bytes, static_cast<std::size_t>(end - at));
}

#define SPILLWAY_AVX512 __attribute__((target("avx512f,avx512bw")))

constexpr std::size_t kFirstBytes = 64;

// Bit i: a field ends just before byte i of the line's first kFirstBytes.
SPILLWAY_AVX512 std::uint64_t find_first_ends(std::string_view line, std::optional<char> separator) {
  const __mmask64 inside = line.size() >= kFirstBytes ? ~__mmask64{0} : (__mmask64{1} << line.size()) - 1;
  const __m512i text = _mm512_maskz_loadu_epi8(inside, line.data());
  const auto find = [&](char byte)
                        SPILLWAY_AVX512 { return _mm512_mask_cmpeq_epi8_mask(inside, text, _mm512_set1_epi8(byte)); };
  if (separator) return find(*separator);
  const std::uint64_t blanks = find(' ') | find('\t') | find('\n') | ~inside;
  return blanks & ~(blanks << 1 | 1);
}

bool finds_first_ends() {
  static const bool kFinds = __builtin_cpu_supports("avx512bw") != 0;
  return kFinds;
}

// Where the `field`-th field ends, counted from 1, or where the line ends if it has fewer. Nothing if the ends of the
// first fields do not tell.
std::optional<std::size_t> field_end(std::string_view line, std::uint64_t first_ends, std::size_t field) {
  for (; field != 1 && first_ends != 0; --field) first_ends &= first_ends - 1;
  if (first_ends != 0) return static_cast<std::size_t>(std::countr_zero(first_ends));
  return line.size() < kFirstBytes ? std::optional(line.size()) : std::nullopt;
}

// The key, if it is of whole fields that end in the first bytes of the line, or if the line ends there.
std::optional<std::string_view> find_first_key(std::string_view line, const KeyPlace& place, std::size_t first_field,
                                               std::optional<char> separator) {
  const std::uint64_t ends = find_first_ends(line, separator);
  std::optional<std::size_t> begin = 0;
  if (first_field != 0) begin = field_end(line, ends, first_field);
  const auto end = field_end(line, ends, place.end_field + 1);
  if (!begin || !end) return std::nullopt;
  if (first_field != 0 && separator && *begin < line.size()) ++*begin;
  return line.substr(*begin, *end - *begin);
}

const char* key_begin(std::string_view line, const KeyPlace& place, std::optional<char> separator) {
  const char* at = line.data();
  const char* const end = at + line.size();
  if (place.begin_field != KeyPlace::kWhole) {
    for (std::size_t left = place.begin_field; left != 0 && at < end; --left) {
      at = separator ? find_separator(at, end, *separator) : skip_field(at, end);
      if (separator && at < end) ++at;
    }
  }
  if (place.skips_blanks_at_begin) at = skip_blanks(at, end);
  return advance(at, end, place.begin_byte);
}

// The end of whole fields, if the key begins where a field does: `begin` is the begin of that.
const char* key_end_after(const char* begin, const char* end, const KeyPlace& place, std::optional<char> separator) {
  const char* at = begin;
  const std::size_t first = place.begin_field == KeyPlace::kWhole ? 0 : place.begin_field;
  for (std::size_t left = place.end_field + 1 - first; left != 0 && at < end; --left) {
    at = separator ? find_separator(at, end, *separator) : skip_field(at, end);
    if (separator && at < end && left != 1) ++at;
  }
  return at;
}

// Without `end_byte`, the end of the end field, before its separator; with it, a place counted from the field's begin.
const char* key_end(std::string_view line, const KeyPlace& place, std::optional<char> separator) {
  const char* at = line.data();
  const char* const end = at + line.size();
  if (place.end_field == KeyPlace::kWhole) return end;
  std::size_t left = place.end_field + (place.end_byte == 0 ? 1 : 0);
  while (at < end && left-- != 0) {
    at = separator ? find_separator(at, end, *separator) : skip_field(at, end);
    if (separator && at < end && (left != 0 || place.end_byte != 0)) ++at;
  }
  if (place.end_byte == 0) return at;
  if (place.skips_blanks_at_end) at = skip_blanks(at, end);
  return advance(at, end, place.end_byte);
}

}  // namespace

std::string_view find_key(std::string_view line, const KeyPlace& place, std::optional<char> field_separator) {
  const std::size_t first = place.begin_field == KeyPlace::kWhole ? 0 : place.begin_field;
  const bool is_of_fields = place.begin_byte == 0 && !place.skips_blanks_at_begin && place.end_byte == 0 &&
                            place.end_field != KeyPlace::kWhole && place.end_field >= first;
  if (is_of_fields && finds_first_ends()) {
    if (const auto found = find_first_key(line, place, first, field_separator)) return *found;
  }
  const char* const begin = key_begin(line, place, field_separator);
  const char* const line_end = line.data() + line.size();
  const char* const end = is_of_fields ? key_end_after(begin, line_end, place, field_separator)
                                       : std::max(begin, key_end(line, place, field_separator));
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace spillway
