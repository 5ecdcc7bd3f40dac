// Where the postings of a run begin, and what they are, for 64 bytes at a time: the steps of decoding in AVX-512
// vectors (io/decode_postings.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "io/vector_scans.hpp"

#define SPILLWAY_WINDOW_TARGET \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi,bmi2,popcnt,lzcnt")))

namespace spillway {

inline constexpr std::uint32_t kWindowPostings = 64;  // the most that a window holds

// Of the varints of postings, one bit each from a head on, which are frequencies? An even number that is no frequency
// itself says that one follows. Found for all at once by a subtraction that carries along runs of even numbers, as
// Langdale and Lemire find escaped characters (Parsing Gigabytes of JSON per Second, VLDB Journal 2019, 3.1.1).
constexpr std::uint64_t find_frequencies(std::uint64_t even) {
  constexpr std::uint64_t kOdd = 0xAAAAAAAAAAAAAAAAULL;
  return (((even << 1 | kOdd) - even) ^ kOdd) ^ even;
}

alignas(64) inline constexpr auto kPlaces = [] {
  std::array<std::uint8_t, 64> places{};
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::uint8_t>(i);
  return places;
}();
// The lane of each byte.
alignas(64) inline constexpr auto kLanesOfBytes = [] {
  std::array<std::uint8_t, 64> lanes{};
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = static_cast<std::uint8_t>(i / 4);
  return lanes;
}();

// The values of varints of up to four bytes, from their bytes with the top bits cleared.
SPILLWAY_WINDOW_TARGET inline __m512i join_sevens(__m512i bytes) {
  const __m512i pairs = _mm512_maddubs_epi16(_mm512_set1_epi16(0x8001 - 0x10000), bytes);  // 1, 128
  return _mm512_madd_epi16(pairs, _mm512_set1_epi32(1 << 30 | 1));                         // 1, 2^14
}

// Of each lane, the bits up to its lowest one, that included; all where there is none.
SPILLWAY_WINDOW_TARGET inline __m512i up_to_lowest(__m512i bits) {
  return _mm512_xor_si512(bits, _mm512_add_epi32(bits, _mm512_set1_epi32(-1)));
}

// Sixteen postings of at most four bytes.
struct PostingLanes {
  __m512i gaps, frequencies;
  __mmask16 zero_gaps, short_frequencies;  // the latter: below 2, but written out
};

// `words`: in each lane of `lanes` the bytes of a posting, the first one lowest; bytes behind it may be any. The other
// lanes give zeros.
SPILLWAY_WINDOW_TARGET inline PostingLanes split_postings(__m512i words, __mmask16 lanes) {
  const __m512i one = _mm512_set1_epi32(1), two = _mm512_set1_epi32(2), sevens = _mm512_set1_epi8(0x7F);
  const __m512i ends = _mm512_andnot_si512(words, _mm512_set1_epi8(static_cast<char>(0x80)));
  const __m512i head_bits = up_to_lowest(ends);
  const __m512i both_bits = up_to_lowest(_mm512_andnot_si512(head_bits, ends));
  const __m512i digits = _mm512_and_si512(words, sevens);
  const __m512i heads = join_sevens(_mm512_and_si512(digits, head_bits));
  const __m512i behind = _mm512_and_si512(digits, _mm512_andnot_si512(head_bits, both_bits));
  const __m512i written = join_sevens(_mm512_srlv_epi32(behind, _mm512_popcnt_epi32(head_bits)));
  const __mmask16 once = _mm512_test_epi32_mask(heads, one);
  return {_mm512_maskz_srli_epi32(lanes, heads, 1),
          _mm512_maskz_mov_epi32(lanes, _mm512_mask_mov_epi32(written, once, one)),
          _mm512_mask_cmplt_epu32_mask(lanes, heads, two),
          static_cast<__mmask16>(_mm512_mask_cmplt_epu32_mask(lanes, written, two) & ~once)};
}

SPILLWAY_WINDOW_TARGET inline std::uint64_t sum_epu32(__m512i values) {
  const __m512i low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(values));
  const __m512i high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(values, 1));
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(_mm512_add_epi64(low, high)));
}

// Whole postings of at most four bytes from `at` on, in up to 64 bytes.
struct PostingWindow {
  __m512i bytes;
  std::uint64_t heads;   // the first byte of each
  std::ptrdiff_t taken;  // bytes of all of them
  bool too_long;         // the next one is longer
  bool cut;              // the last one ends in the middle of a varint
};

SPILLWAY_WINDOW_TARGET inline PostingWindow find_postings(const std::uint8_t* at, const std::uint8_t* end) {
  constexpr std::ptrdiff_t kWindow = 64;
  const std::ptrdiff_t here = std::min(end - at, kWindow);
  const std::uint64_t inside = ~std::uint64_t{0} >> (kWindow - here);
  PostingWindow window{_mm512_maskz_loadu_epi8(inside, at), 0, here, false, false};
  const std::uint64_t goes_on = _mm512_movepi8_mask(window.bytes), starts = ~(goes_on << 1) & inside;
  const std::uint64_t even = _pext_u64(_mm512_testn_epi8_mask(window.bytes, _mm512_set1_epi8(1)), starts);
  window.heads = _pdep_u64(~find_frequencies(even), starts);
  std::uint64_t behind = window.heads >> 1;  // bit i: another one begins, or they end, at i + 1
  if (here == kWindow) {                     // the last may go on behind it
    window.taken = 63 - static_cast<std::ptrdiff_t>(_lzcnt_u64(window.heads));
    window.heads ^= std::uint64_t{1} << window.taken;
  } else {
    behind |= std::uint64_t{1} << (here - 1);
    window.cut = (goes_on >> (here - 1) & 1) != 0;
  }
  const std::uint64_t long_ones = window.heads & ~(behind | behind >> 1 | behind >> 2 | behind >> 3);
  window.too_long = long_ones != 0 || window.taken == 0;
  if (long_ones != 0) {
    window.taken = static_cast<std::ptrdiff_t>(_tzcnt_u64(long_ones));
    window.heads &= _blsmsk_u64(long_ones) >> 1;
    window.cut = false;
  }
  return window;
}

// Where the postings of a window stand.
class WindowPlaces {
 public:
  SPILLWAY_WINDOW_TARGET explicit WindowPlaces(std::uint64_t heads)
      : places_(_mm512_maskz_compress_epi8(heads, _mm512_load_si512(kPlaces.data()))) {}

  // In each of 16 lanes the places of four bytes, from the first of a posting on: of the postings number, number + 1...
  SPILLWAY_WINDOW_TARGET __m512i from(std::uint32_t number) const {
    const __m512i lanes =
        _mm512_add_epi8(_mm512_load_si512(kLanesOfBytes.data()), _mm512_set1_epi8(static_cast<char>(number)));
    return _mm512_add_epi8(_mm512_permutexvar_epi8(lanes, places_), _mm512_set1_epi32(0x03020100));
  }

 private:
  __m512i places_;
};

}  // namespace spillway
