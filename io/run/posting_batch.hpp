// The steps of decoding the postings of a run in AVX-512 vectors (io/run/postings_decoder.cpp): where the postings in
// 64 bytes begin, and their values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "io/checksum/vector_scans.hpp"

#define SPILLWAY_BATCH_TARGET \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi,bmi2,popcnt,lzcnt")))

#define SPILLWAY_BATCH_INLINE SPILLWAY_BATCH_TARGET __attribute__((always_inline))

namespace spillway {

inline constexpr std::uint32_t kBatchPostings = 64;  // the most postings in 64 bytes

// Given one bit per varint, starting at a head, that says whether it is even: finds the varints that are frequencies.
// An even number that is not itself a frequency is followed by one. One subtraction finds all, because its borrow runs
// along sequences of even numbers, as when Langdale and Lemire find escaped characters (Parsing Gigabytes of JSON per
// Second, VLDB Journal 2019, 3.1.1).
constexpr std::uint64_t find_frequencies(std::uint64_t even) {
  constexpr std::uint64_t kOdd = 0xAAAAAAAAAAAAAAAAULL;
  return (((even << 1 | kOdd) - even) ^ kOdd) ^ even;
}

alignas(64) inline constexpr auto kPlaces = [] {
  std::array<std::uint8_t, 64> places{};
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::uint8_t>(i);
  return places;
}();
// Lane numbers, one per byte.
alignas(64) inline constexpr auto kLanesOfBytes = [] {
  std::array<std::uint8_t, 64> lanes{};
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = static_cast<std::uint8_t>(i / 4);
  return lanes;
}();

// The values of varints of up to four bytes, given their bytes with the top bits cleared.
SPILLWAY_BATCH_TARGET inline __m512i join_sevens(__m512i bytes) {
  const __m512i pairs = _mm512_maddubs_epi16(_mm512_set1_epi16(0x8001 - 0x10000), bytes);  // 1, 128
  return _mm512_madd_epi16(pairs, _mm512_set1_epi32(1 << 30 | 1));                         // 1, 2^14
}

// In each lane, the bits up to and including the lowest set one; all bits if none is set.
SPILLWAY_BATCH_TARGET inline __m512i up_to_lowest(__m512i bits) {
  return _mm512_xor_si512(bits, _mm512_add_epi32(bits, _mm512_set1_epi32(-1)));
}

// Sixteen postings of at most four bytes each.
struct PostingLanes {
  __m512i gaps, frequencies;
  __mmask16 zero_gaps, short_frequencies;  // a gap of 0; a stored frequency below 2
};

// Each lane in `lanes` of `words` holds the bytes of a posting, the first one lowest, followed by arbitrary bytes. The
// other lanes yield zeros.
SPILLWAY_BATCH_TARGET inline PostingLanes split_postings(__m512i words, __mmask16 lanes) {
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

SPILLWAY_BATCH_TARGET inline std::uint64_t sum_epu32(__m512i values) {
  const __m512i low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(values));
  const __m512i high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(values, 1));
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(_mm512_add_epi64(low, high)));
}

// Complete postings of at most four bytes each within the (up to 64) bytes from `at` on.
struct PostingBatch {
  __m512i bytes;
  std::uint64_t heads;   // bit i: a posting starts at byte i
  std::ptrdiff_t taken;  // total size of the postings
  bool too_long;         // the next posting is longer
  bool cut;              // the input ends inside a varint
  bool all_bytes;        // every number is one byte long
};

SPILLWAY_BATCH_TARGET inline PostingBatch find_postings(const std::uint8_t* at, const std::uint8_t* end) {
  constexpr std::ptrdiff_t kBatchBytes = 64;
  const std::ptrdiff_t here = std::min(end - at, kBatchBytes);
  const std::uint64_t inside = ~std::uint64_t{0} >> (kBatchBytes - here);
  PostingBatch batch{_mm512_maskz_loadu_epi8(inside, at), 0, here, false, false, false};
  const std::uint64_t goes_on = _mm512_movepi8_mask(batch.bytes), starts = ~(goes_on << 1) & inside;
  const std::uint64_t even = _pext_u64(_mm512_testn_epi8_mask(batch.bytes, _mm512_set1_epi8(1)), starts);
  batch.heads = _pdep_u64(~find_frequencies(even), starts);
  batch.all_bytes = goes_on == 0;
  std::uint64_t behind = batch.heads >> 1;  // bit i: a posting, or the end, follows at byte i + 1
  if (here == kBatchBytes) {                // the last posting may continue after these bytes
    batch.taken = 63 - static_cast<std::ptrdiff_t>(_lzcnt_u64(batch.heads));
    batch.heads ^= std::uint64_t{1} << batch.taken;
  } else {
    behind |= std::uint64_t{1} << (here - 1);
    batch.cut = (goes_on >> (here - 1) & 1) != 0;
  }
  const std::uint64_t long_ones = batch.heads & ~(behind | behind >> 1 | behind >> 2 | behind >> 3);
  batch.too_long = long_ones != 0 || batch.taken == 0;
  if (long_ones != 0) {
    batch.taken = static_cast<std::ptrdiff_t>(_tzcnt_u64(long_ones));
    batch.heads &= _blsmsk_u64(long_ones) >> 1;
    batch.cut = false;
  }
  return batch;
}

// The postings of 64 bytes whose numbers are all one byte long, which is typical of frequent terms.
struct BytePostings {
  __m512i gaps, frequencies;  // one byte each; zeros after the last
  std::uint64_t zero_gaps, short_frequencies;
};

SPILLWAY_BATCH_TARGET inline BytePostings split_byte_postings(const PostingBatch& batch, std::uint32_t count) {
  const __m512i one = _mm512_set1_epi8(1);
  const std::uint64_t lanes = count == 0 ? 0 : ~std::uint64_t{0} >> (64 - count);
  const __m512i behind = _mm512_permutexvar_epi8(_mm512_add_epi8(_mm512_load_si512(kPlaces.data()), one), batch.bytes);
  const __m512i heads = _mm512_maskz_compress_epi8(batch.heads, batch.bytes);
  const __m512i written = _mm512_maskz_compress_epi8(batch.heads, behind);
  const std::uint64_t once = _mm512_test_epi8_mask(heads, one);
  const __m512i gaps = _mm512_and_si512(_mm512_srli_epi16(heads, 1), _mm512_set1_epi8(0x7F));
  return {gaps, _mm512_mask_mov_epi8(written, once, one), _mm512_testn_epi8_mask(gaps, gaps) & lanes,
          _mm512_cmplt_epu8_mask(written, _mm512_set1_epi8(2)) & lanes & ~once};
}

// Widens the first 16 bytes, and moves the others to the front.
SPILLWAY_BATCH_TARGET inline __m512i take_16(__m512i& bytes) {
  const __m512i numbers = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes));
  bytes = _mm512_alignr_epi64(bytes, bytes, 2);
  return numbers;
}

// The places of the postings in their 64 bytes.
class BatchPlaces {
 public:
  SPILLWAY_BATCH_TARGET explicit BatchPlaces(std::uint64_t heads)
      : places_(_mm512_maskz_compress_epi8(heads, _mm512_load_si512(kPlaces.data()))) {}

  // In each of 16 lanes, the places of the first four bytes of postings number, number + 1, ...
  SPILLWAY_BATCH_TARGET __m512i from(std::uint32_t number) const {
    const __m512i lanes =
        _mm512_add_epi8(_mm512_load_si512(kLanesOfBytes.data()), _mm512_set1_epi8(static_cast<char>(number)));
    return _mm512_add_epi8(_mm512_permutexvar_epi8(lanes, places_), _mm512_set1_epi32(0x03020100));
  }

 private:
  __m512i places_;
};

// The output of decoding, posting after posting, with the state of its checks. Stays in registers once its functions
// are inlined.
struct DecodedBatches {
  std::uint32_t *documents, *frequencies;
  __m512i last;                           // last document, in every lane
  __mmask16 may_be_zero;                  // lanes of the next 16 gaps that may be 0: the first of a list
  __m512i sums = _mm512_setzero_si512();  // sums of frequencies
  std::uint64_t wrong = 0;

  SPILLWAY_BATCH_INLINE void put(__m512i gaps, __m512i times, std::uint32_t here) {
    const auto lanes = static_cast<__mmask16>(0xFFFFU >> (16 - here));
    const __m512i numbers = _mm512_add_epi32(scan_epi32(gaps), last);
    // Gaps are below 2^27, so a document beyond 32 bits shows as a decrease.
    wrong |= _mm512_cmplt_epu32_mask(numbers, last);
    last = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), numbers);
    sums = _mm512_add_epi32(sums, times);
    _mm512_mask_storeu_epi32(documents, lanes, numbers);
    _mm512_mask_storeu_epi32(frequencies, lanes, times);
    documents += here;
    frequencies += here;
    may_be_zero = 0;
  }

  // Decodes 16 postings at a time.
  SPILLWAY_BATCH_INLINE void put_any(const PostingBatch& batch, std::uint32_t count) {
    const BatchPlaces places(batch.heads);
    for (std::uint32_t i = 0; i < count; i += 16) {
      const std::uint32_t here = std::min(count - i, 16U);
      const auto lanes = static_cast<__mmask16>(0xFFFFU >> (16 - here));
      const PostingLanes postings = split_postings(_mm512_permutexvar_epi8(places.from(i), batch.bytes), lanes);
      wrong |= (postings.zero_gaps & ~may_be_zero) | postings.short_frequencies;
      put(postings.gaps, postings.frequencies, here);
    }
  }

  // Decodes postings whose numbers are all one byte long, up to 64 at a time.
  SPILLWAY_BATCH_INLINE void put_bytes(const PostingBatch& batch, std::uint32_t count) {
    BytePostings postings = split_byte_postings(batch, count);
    wrong |= (postings.zero_gaps & ~std::uint64_t{may_be_zero}) | postings.short_frequencies;
    for (std::uint32_t i = 0; i < count; i += 16) {
      const __m512i gaps = take_16(postings.gaps), times = take_16(postings.frequencies);
      put(gaps, times, std::min(count - i, 16U));
    }
  }
};

}  // namespace spillway
