#pragma GCC diagnostic push
#ifndef __clang__
// GCC 12 takes the undefined operands inside its own intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <cstring>
#include <limits>

#include "io/byte_order.hpp"
#include "io/error.hpp"
#include "io/run_reader.hpp"
#include "io/varint.hpp"

namespace spillway {

namespace {

[[noreturn]] void fail(std::string_view where, const TermPiece& piece, const std::string& found) {
  throw FormatError(std::string(where) + ": term \"" + printable(piece.term, 80) + "\": expected " +
                    std::to_string(piece.document_count) + " postings in " + std::to_string(piece.postings.size()) +
                    " bytes, found " + found + "; the run is damaged: make it again from its input");
}

#define SPILLWAY_WINDOW_TARGET __attribute__((target("avx512f,avx512bw,bmi,bmi2,popcnt,lzcnt")))

const bool kHasWindows = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi") &&
                         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");

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

  void run_windows();

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

// Postings of up to eight bytes, 64 bytes at a time: where they begin is found for all at once, so that none waits for
// the one before. Stops at the first that is longer, for step(), and where there are more than `left`.
SPILLWAY_WINDOW_TARGET void Decoder::run_windows() {
  constexpr std::ptrdiff_t kWindow = 64;
  constexpr std::uint64_t kEnds = 0x8080808080808080ULL;
  alignas(64) std::uint8_t window[kWindow + 8] = {};
  std::uint64_t last = document, sum = occurrences, below = 0, large = 0;
  std::uint32_t done = 0;
  bool stops = false;
  while (at != end && !stops) {
    const std::ptrdiff_t here = std::min(end - at, kWindow);
    const std::uint64_t inside = ~std::uint64_t{0} >> (kWindow - here);
    const __m512i bytes = _mm512_maskz_loadu_epi8(inside, at);
    _mm512_store_si512(window, bytes);
    const std::uint64_t goes_on = _mm512_movepi8_mask(bytes), starts = ~(goes_on << 1) & inside;
    const std::uint64_t even = _pext_u64(_mm512_testn_epi8_mask(bytes, _mm512_set1_epi8(1)), starts);
    std::uint64_t heads = _pdep_u64(~find_frequencies(even), starts);
    std::ptrdiff_t next = here;
    if (here == kWindow) {  // the last may go on behind it
      next = 63 - static_cast<std::ptrdiff_t>(_lzcnt_u64(heads));
      heads ^= std::uint64_t{1} << next;
    } else {
      wrong |= (goes_on >> (here - 1) & 1) != 0;
    }
    if (static_cast<std::uint64_t>(_mm_popcnt_u64(heads)) > left - done) break;
    for (; heads != 0; heads = _blsr_u64(heads)) {
      const auto place = static_cast<std::ptrdiff_t>(_tzcnt_u64(heads));
      const auto word = load_le<std::uint64_t>(window + place);
      const std::uint64_t ends = ~word & kEnds, more = _blsr_u64(ends), head_bits = _blsmsk_u64(ends);
      const std::uint64_t head = _pext_u64(word, head_bits & ~kEnds), single = head & 1;
      if ((single != 0 ? ends : more) == 0) {
        next = place;
        stops = true;
        break;
      }
      const std::uint64_t written = _pext_u64(word, _blsmsk_u64(more) & ~head_bits & ~kEnds);
      const std::uint64_t frequency = single != 0 ? 1 : written;
      // The top bit shows a gap of 0, or a frequency below 2 that is written out.
      below |= (head - 2) | (frequency + single - 2);
      large |= head >> 33 | frequency >> 32;
      last += head >> 1;
      sum += frequency;
      documents[done] = static_cast<std::uint32_t>(last);
      frequencies[done] = static_cast<std::uint32_t>(frequency);
      ++done;
    }
    at += next;
  }
  documents += done;
  frequencies += done;
  left -= done;
  document = last;
  occurrences = sum;
  wrong |= below >> 63 != 0 || large != 0;
}

// Decodes a part to where its documents and frequencies go.
void decode_part(const TermPiece& piece, const ListPart& part, std::string_view where, std::uint32_t* documents,
                 std::uint32_t* frequencies) {
  const std::span<const std::uint8_t> bytes = part.postings;
  if (part.document_count == 0 || part.document_count > bytes.size()) fail(where, piece, "too few bytes for them");
  Decoder decoder{bytes.data(),        bytes.data(), bytes.data() + bytes.size(), documents, frequencies,
                  part.document_count, part.base};
  if (!decoder.step(true)) fail(where, piece, "a malformed first one");
  while (decoder.left != 0) {
    if (kHasWindows) decoder.run_windows();
    decoder.run();
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

}  // namespace

void decode_postings(const TermPiece& piece, std::string_view where, std::vector<std::uint32_t>& documents,
                     std::vector<std::uint32_t>& frequencies) {
  if (piece.parts.empty() && piece.document_count > piece.postings.size()) fail(where, piece, "too few bytes for them");
  documents.resize(piece.document_count);
  frequencies.resize(piece.document_count);
  if (piece.parts.empty()) {
    const ListPart whole{piece.postings, {}, piece.document_count, piece.occurrence_count, 0, piece.last_document};
    decode_part(piece, whole, where, documents.data(), frequencies.data());
    return;
  }
  std::size_t done = 0;
  for (const ListPart& part : piece.parts) {
    if (part.document_count > piece.document_count - done) fail(where, piece, "more in its parts");
    decode_part(piece, part, where, documents.data() + done, frequencies.data() + done);
    if (done != 0 && documents[done] <= documents[done - 1]) fail(where, piece, "parts that do not ascend");
    done += part.document_count;
  }
  if (done != piece.document_count) fail(where, piece, "fewer in its parts");
}

}  // namespace spillway
