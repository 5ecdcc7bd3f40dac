#include "io/run/decode_positions.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "io/base/vector_intrinsics.hpp"

namespace spillway {

namespace {

[[noreturn]] void fail(std::string_view where, const RunEntry& entry) {
  throw FormatError(std::string(where) + ": term \"" + printable(entry.term, 80) + "\": expected " +
                    std::to_string(entry.occurrence_count) + " positions in " + std::to_string(entry.positions.size()) +
                    " bytes, found other values; the run is damaged: make it again from its input");
}

// Decodes short distances without branching on their length, because lists mix lengths. Stops at the first longer
// distance or near the end. Returns the place where it stopped, and moves *to.
using DecodeShort = const std::uint8_t* (*)(const std::uint8_t* at, const std::uint8_t* end, std::uint32_t** to,
                                            const std::uint32_t* to_end);

// Decodes distances below 2^14, which take one or two bytes.
const std::uint8_t* decode_short_portable(const std::uint8_t* at, const std::uint8_t* end, std::uint32_t** to,
                                          const std::uint32_t* to_end) {
  std::uint32_t* out = *to;
  while (end - at >= 8 && to_end - out >= 4) {
    auto word = load_le<std::uint64_t>(at);
    // Four values take at most eight bytes; the second byte of each must end it.
    unsigned used = 0;
    bool stop = false;
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t two = word >> 7 & 1;
      stop |= (two & word >> 15) != 0;
      out[i] = static_cast<std::uint32_t>((word & 0x7F) | ((word >> 1 & 0x3F80) & (0 - two)));
      const unsigned bytes = 1 + static_cast<unsigned>(two);
      word = bytes == 2 ? word >> 16 : word >> 8;
      used += bytes;
    }
    if (stop) break;
    out += 4;
    at += used;
  }
  *to = out;
  return at;
}

// Decodes distances below 2^21, which take up to three bytes: about 40 at a time, including the last ones. The first,
// second and third bytes of all distances are compressed into a vector each.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt"))) const std::uint8_t* decode_short_avx512(
    const std::uint8_t* at, const std::uint8_t* end, std::uint32_t** to, const std::uint32_t* to_end) {
  constexpr std::ptrdiff_t kBytes = 64, kAheadBytes = 512;
  constexpr std::uint64_t kTaken =
      (std::uint64_t{1} << (kBytes - 3)) - 1;  // bytes after which at least two more are loaded
  const __m512i seven_bits = _mm512_set1_epi8(0x7F);
  std::uint32_t* out = *to;
  while (at != end && out != to_end) {
    __builtin_prefetch(at + kAheadBytes);
    const std::ptrdiff_t here = std::min(end - at, kBytes);
    const std::uint64_t inside = ~std::uint64_t{0} >> (kBytes - here);
    const __m512i bytes = _mm512_maskz_loadu_epi8(inside, at);
    const std::uint64_t goes_on = _mm512_movepi8_mask(bytes);
    const std::uint64_t starts = ~(goes_on << 1) & (here == kBytes ? kTaken : inside);
    const auto count = static_cast<std::ptrdiff_t>(_mm_popcnt_u64(starts));
    const bool cut = here != kBytes && (goes_on >> (here - 1) & 1) != 0;
    if (cut || count > to_end - out || (starts & goes_on & goes_on >> 1 & goes_on >> 2) != 0) break;
    const __m512i first = _mm512_maskz_compress_epi8(starts, bytes);
    const __mmask64 has_second = _mm512_movepi8_mask(first);
    const __m512i second = _mm512_maskz_mov_epi8(
        has_second, _mm512_maskz_compress_epi8(starts, _mm512_maskz_loadu_epi8(inside >> 1, at + 1)));
    const __mmask64 has_third = _mm512_movepi8_mask(second);
    const __m512i third = _mm512_maskz_mov_epi8(
        has_third, _mm512_maskz_compress_epi8(starts, _mm512_maskz_loadu_epi8(inside >> 2, at + 2)));
    alignas(64) std::uint8_t digits[3][kBytes];
    _mm512_store_si512(digits[0], _mm512_and_si512(first, seven_bits));
    _mm512_store_si512(digits[1], _mm512_and_si512(second, seven_bits));
    _mm512_store_si512(digits[2], _mm512_and_si512(third, seven_bits));
    for (std::ptrdiff_t i = 0; i < count; i += 16) {
      const auto widen = [&](const std::uint8_t* digit) __attribute__((target("avx512f"))) {
        return _mm512_cvtepu8_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(digit + i)));
      };
      const __m512i values = _mm512_or_si512(
          widen(digits[0]),
          _mm512_or_si512(_mm512_slli_epi32(widen(digits[1]), 7), _mm512_slli_epi32(widen(digits[2]), 14)));
      const auto lanes = static_cast<__mmask16>(0xFFFFU >> (16 - std::min<std::ptrdiff_t>(count - i, 16)));
      _mm512_mask_storeu_epi32(out + i, lanes, values);
    }
    out += count;
    const unsigned last = 63U - static_cast<unsigned>(std::countl_zero(starts));
    const std::uint64_t rest = goes_on >> last;
    at += last + 1 + (rest & 1) + (rest & rest >> 1 & 1);
  }
  *to = out;
  return at;
}

const DecodeShort kDecodeShort = [] {
  const bool has_avx512 = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("popcnt");
  return has_avx512 ? decode_short_avx512 : decode_short_portable;
}();

// Decodes exactly distances.size() distances, which must use all of `bytes`.
void decode_fragment(const RunEntry& entry, std::span<const std::uint8_t> bytes, std::string_view where,
                     std::span<std::uint32_t> distances) {
  const std::uint8_t *at = bytes.data(), *const end = at + bytes.size();
  std::uint32_t *to = distances.data(), *const to_end = to + distances.size();
  while (to != to_end) {
    at = kDecodeShort(at, end, &to, to_end);
    at = decode_short_portable(at, end, &to, to_end);
    // Distances of any length: a longer one, or the last few.
    for (int i = 0; i < 4 && to != to_end; ++i) {
      std::uint64_t distance = 0;
      if (!read_varint(&at, end, &distance) || distance > std::numeric_limits<std::uint32_t>::max()) fail(where, entry);
      *to++ = static_cast<std::uint32_t>(distance);
    }
  }
  if (at != end) fail(where, entry);
}

}  // namespace

void decode_positions(const RunEntry& entry, std::string_view where, std::vector<std::uint32_t>& distances) {
  if (entry.fragments.empty() && entry.occurrence_count > entry.positions.size()) fail(where, entry);
  distances.resize(static_cast<std::size_t>(entry.occurrence_count));
  if (entry.fragments.empty()) {
    decode_fragment(entry, entry.positions, where, distances);
    return;
  }
  std::span<std::uint32_t> left = distances;
  for (const ListFragment& fragment : entry.fragments) {
    if (fragment.occurrence_count > left.size()) fail(where, entry);
    const auto count = static_cast<std::size_t>(fragment.occurrence_count);
    decode_fragment(entry, fragment.positions, where, left.first(count));
    left = left.subspan(count);
  }
  if (!left.empty()) fail(where, entry);
}

}  // namespace spillway
