#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "io/byte_order.hpp"
#include "io/error.hpp"
#include "io/run_reader.hpp"
#include "io/varint.hpp"
#include "io/vector_scans.hpp"

namespace spillway {

namespace {

[[noreturn]] void fail(std::string_view where, const TermPiece& piece, const std::string& found) {
  throw FormatError(std::string(where) + ": term \"" + printable(piece.term, 80) + "\": expected " +
                    std::to_string(piece.document_count) + " postings in " + std::to_string(piece.postings.size()) +
                    " bytes, found " + found + "; the run is damaged: make it again from its input");
}

#define SPILLWAY_WINDOW_TARGET \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi,bmi2,popcnt,lzcnt")))

enum class Steps { kWindows, kOne };

const Steps kBestSteps = __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi") &&
                                 __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl") &&
                                 __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi") &&
                                 __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")
                             ? Steps::kWindows
                             : Steps::kOne;

// Of the varints of postings, one bit each from a head on, which are frequencies? An even number that is no frequency
// itself says that one follows. Found for all at once by a subtraction that carries along runs of even numbers, as
// Langdale and Lemire find escaped characters (Parsing Gigabytes of JSON per Second, VLDB Journal 2019, 3.1.1).
constexpr std::uint64_t find_frequencies(std::uint64_t even) {
  constexpr std::uint64_t kOdd = 0xAAAAAAAAAAAAAAAAULL;
  return (((even << 1 | kOdd) - even) ^ kOdd) ^ even;
}

// What decoding leaves to check once it is through.
struct Decoder {
  const std::uint8_t* begin;
  const std::uint8_t* at;
  const std::uint8_t* end;
  std::uint32_t* documents;
  std::uint32_t* frequencies;
  std::uint32_t left;
  std::uint64_t document = 0;  // below 2^33 * 2^32: gaps are bounded before they are added
  std::uint64_t occurrences = 0;
  bool wrong = false;

  void put(std::uint64_t gap, std::uint64_t frequency) {
    document += gap;
    occurrences += frequency;
    *documents++ = static_cast<std::uint32_t>(document);
    *frequencies++ = static_cast<std::uint32_t>(frequency);
    --left;
  }

  // Any posting; false where it is malformed.
  bool step(bool first) {
    std::uint64_t head = 0, frequency = 1;
    if (!read_varint(&at, end, &head)) return false;
    if ((head & 1) == 0 && (!read_varint(&at, end, &frequency) || frequency < 2)) return false;
    const std::uint64_t gap = head >> 1;
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
    if (gap > kMax || frequency > kMax || (gap == 0 && !first)) return false;
    put(gap, frequency);
    return true;
  }

  // The next eight bytes, zeros behind the end.
  std::uint64_t load(const std::uint8_t* from) const {
    const std::ptrdiff_t left_bytes = end - from;
    if (left_bytes >= 8) return load_le<std::uint64_t>(from);
    if (end - begin >= 8) return load_le<std::uint64_t>(end - 8) >> (64 - 8 * left_bytes);
    std::uint64_t word = 0;
    std::memcpy(&word, from, static_cast<std::size_t>(left_bytes));
    return word;
  }

  // first: the next posting is the first of the part.
  void run_windows(bool first);

  // Postings with a gap below 2^13 and a frequency below 2^7, so of at most three bytes. No branch depends on their
  // shape: lists mix them, and a branch that is missed costs more than all the rest. Stops at the first of another
  // shape, for step(). In local variables: members would be stored and loaded again around every write to the results.
  void run() {
    const std::uint8_t* from = at;
    std::uint64_t last = document, sum = occurrences, below = 0;
    std::uint32_t done = 0;
    for (; done != left && from < end; ++done) {
      const std::uint64_t word = load(from);
      const std::uint64_t single = word & 1, two = word >> 7 & 1;
      const std::uint64_t head = (word & 0x7F) | ((word >> 1 & 0x3F80) & (0 - two));
      const std::uint64_t next = word >> (8 + 8 * two) & 0xFF;
      const std::uint64_t frequency = (next & (single - 1)) | single;
      if (((two & word >> 15) | frequency >> 7) != 0) break;
      // The top bit shows a gap of 0, or a frequency below 2 that is written out.
      below |= (head - 2) | (frequency + single - 2);
      last += head >> 1;
      sum += frequency;
      documents[done] = static_cast<std::uint32_t>(last);
      frequencies[done] = static_cast<std::uint32_t>(frequency);
      from += 2 + two - single;
    }
    wrong |= from > end;  // the last one is cut
    at = std::min(from, end);
    documents += done;
    frequencies += done;
    left -= done;
    document = last;
    occurrences = sum;
    wrong |= below >> 63 != 0;
  }
};

alignas(64) constexpr auto kPlaces = [] {
  std::array<std::uint8_t, 64> places{};
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::uint8_t>(i);
  return places;
}();
// The lowest byte of each four, four times.
alignas(64) constexpr auto kSpread = [] {
  std::array<std::uint8_t, 64> places{};
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::uint8_t>(i & ~std::size_t{3});
  return places;
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

// Postings of up to four bytes, 64 bytes at a time: where they begin is found for all at once, and sixteen are taken
// apart side by side. Stops at the first that is longer, for step(), and where there are more than `left`.
SPILLWAY_WINDOW_TARGET void Decoder::run_windows(bool first) {
  constexpr std::uint32_t kFold = 256;  // windows whose frequencies, each below 2^21, fit a lane's sum
  const __m512i places = _mm512_loadu_si512(kPlaces.data()), spread = _mm512_loadu_si512(kSpread.data());
  const __m512i last_lane = _mm512_set1_epi32(15), steps = _mm512_set1_epi32(0x03020100);
  alignas(64) std::uint8_t begins[64];
  __m512i last = _mm512_set1_epi32(static_cast<int>(document)), sums = _mm512_setzero_si512();
  std::uint32_t done = 0, windows = 0;
  wrong |= document >> 32 != 0;
  __mmask16 ascending = first ? 0xFFFE : 0xFFFF;  // the first gap may be 0
  for (bool too_long = false; at != end && !too_long;) {
    const PostingWindow window = find_postings(at, end);
    const auto count = static_cast<std::uint32_t>(_mm_popcnt_u64(window.heads));
    if (count > left - done) break;
    wrong |= window.cut;
    too_long = window.too_long;
    at += window.taken;
    _mm512_store_si512(begins, _mm512_maskz_compress_epi8(window.heads, places));
    for (std::uint32_t i = 0; i < count; i += 16) {
      const std::uint32_t here = std::min(count - i, 16U);
      const auto lanes = static_cast<__mmask16>(0xFFFFU >> (16 - here));
      const __m512i heads = _mm512_cvtepu8_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(begins + i)));
      const __m512i from = _mm512_add_epi32(_mm512_shuffle_epi8(heads, spread), steps);
      const PostingLanes postings = split_postings(_mm512_permutexvar_epi8(from, window.bytes), lanes);
      const __m512i numbers = _mm512_add_epi32(scan_epi32(postings.gaps), last);
      // Gaps are below 2^27: documents beyond 32 bits show as some below the ones before.
      wrong |= ((postings.zero_gaps & ascending) | postings.short_frequencies) != 0 ||
               _mm512_cmplt_epu32_mask(numbers, last) != 0;
      ascending = 0xFFFF;
      last = _mm512_permutexvar_epi32(last_lane, numbers);
      sums = _mm512_add_epi32(sums, postings.frequencies);
      _mm512_mask_storeu_epi32(documents + done, lanes, numbers);
      _mm512_mask_storeu_epi32(frequencies + done, lanes, postings.frequencies);
      done += here;
    }
    if (++windows % kFold != 0) continue;
    occurrences += sum_epu32(sums);
    sums = _mm512_setzero_si512();
  }
  occurrences += sum_epu32(sums);
  documents += done;
  frequencies += done;
  left -= done;
  document = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm512_castsi512_si128(last)));
}

// Decodes a part to where its documents and frequencies go.
void decode_part(const TermPiece& piece, const ListPart& part, std::string_view where, std::uint32_t* documents,
                 std::uint32_t* frequencies, Steps steps) {
  const std::span<const std::uint8_t> bytes = part.postings;
  if (part.document_count == 0 || part.document_count > bytes.size()) fail(where, piece, "too few bytes for them");
  Decoder decoder{bytes.data(),        bytes.data(), bytes.data() + bytes.size(), documents, frequencies,
                  part.document_count, part.base};
  if (steps == Steps::kWindows) decoder.run_windows(true);
  if (decoder.left == part.document_count && !decoder.step(true)) fail(where, piece, "a malformed first one");
  while (decoder.left != 0) {
    if (steps == Steps::kWindows) {
      decoder.run_windows(false);
    } else {
      decoder.run();
    }
    if (decoder.left != 0 && !decoder.step(false)) {
      fail(where, piece, "a malformed one, " + std::to_string(decoder.left) + " before the end");
    }
  }
  if (decoder.wrong) fail(where, piece, "one with a gap of 0, a frequency that has a shorter form, or its end missing");
  if (decoder.at != decoder.end) fail(where, piece, std::to_string(decoder.end - decoder.at) + " bytes behind them");
  if (decoder.document != part.last_document || decoder.occurrences != part.occurrence_count) {
    fail(where, piece,
         std::to_string(decoder.occurrences) + " occurrences up to document " + std::to_string(decoder.document) +
             " where its head says " + std::to_string(part.occurrence_count) + " and " +
             std::to_string(part.last_document));
  }
}

void decode(const TermPiece& piece, std::string_view where, std::vector<std::uint32_t>& documents,
            std::vector<std::uint32_t>& frequencies, Steps steps) {
  if (piece.parts.empty() && piece.document_count > piece.postings.size()) fail(where, piece, "too few bytes for them");
  documents.resize(piece.document_count);
  frequencies.resize(piece.document_count);
  if (piece.parts.empty()) {
    const ListPart whole{piece.postings, {}, piece.document_count, piece.occurrence_count, 0, piece.last_document};
    decode_part(piece, whole, where, documents.data(), frequencies.data(), steps);
    return;
  }
  std::size_t done = 0;
  for (const ListPart& part : piece.parts) {
    if (part.document_count > piece.document_count - done) fail(where, piece, "more in its parts");
    decode_part(piece, part, where, documents.data() + done, frequencies.data() + done, steps);
    if (done != 0 && documents[done] <= documents[done - 1]) fail(where, piece, "parts that do not ascend");
    done += part.document_count;
  }
  if (done != piece.document_count) fail(where, piece, "fewer in its parts");
}

}  // namespace

void decode_postings(const TermPiece& piece, std::string_view where, std::vector<std::uint32_t>& documents,
                     std::vector<std::uint32_t>& frequencies) {
  decode(piece, where, documents, frequencies, kBestSteps);
}

void decode_postings_portable(const TermPiece& piece, std::string_view where, std::vector<std::uint32_t>& documents,
                              std::vector<std::uint32_t>& frequencies) {
  decode(piece, where, documents, frequencies, Steps::kOne);
}

}  // namespace spillway
