#include "io/postings/bit_packing.hpp"

#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "io/base/byte_order.hpp"

namespace spillway {

namespace {

constexpr unsigned kRows = kPackedBlock / 4;  // each of four lanes

// Unpacks row `Row` of a block of `Width` bits. The shifts are constants, so each width compiles to straight-line code.
template <unsigned Width, unsigned Row>
inline __m128i unpack_row(const __m128i* from) {
  if constexpr (Width == 0) {
    return _mm_setzero_si128();
  } else {
    constexpr unsigned kWord = Row * Width / 32, kShift = Row * Width % 32;
    __m128i value = _mm_srli_epi32(_mm_loadu_si128(from + kWord), kShift);
    if constexpr (kShift + Width > 32) {
      value = _mm_or_si128(value, _mm_slli_epi32(_mm_loadu_si128(from + kWord + 1), 32 - kShift));
    }
    if constexpr (Width < 32) value = _mm_and_si128(value, _mm_set1_epi32(static_cast<int>((1u << Width) - 1)));
    return value;
  }
}

// Turns four gaps into documents: prefix sums within the row, plus the last document before it, plus 1, 2, 3, 4.
template <unsigned Width, unsigned Row>
inline __m128i document_row(const __m128i* from, __m128i* to, __m128i last) {
  __m128i sums = unpack_row<Width, Row>(from);
  sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 4));
  sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 8));
  const __m128i documents = _mm_add_epi32(_mm_add_epi32(sums, _mm_setr_epi32(1, 2, 3, 4)), last);
  _mm_storeu_si128(to + Row, documents);
  return _mm_shuffle_epi32(documents, 0xFF);
}

template <unsigned Width>
void documents_width(const std::uint8_t* from, std::uint32_t first, std::uint32_t* documents) {
  __m128i last = _mm_set1_epi32(static_cast<int>(first - 1));
  [&]<unsigned... Row>(std::integer_sequence<unsigned, Row...>) {
    ((last = document_row<Width, Row>(reinterpret_cast<const __m128i*>(from), reinterpret_cast<__m128i*>(documents),
                                      last)),
     ...);
  }
  (std::make_integer_sequence<unsigned, kRows>{});
}

template <unsigned Width, unsigned Row>
inline void pack_row(const __m128i* from, __m128i* to, __m128i& word) {
  constexpr unsigned kWord = Row * Width / 32, kShift = Row * Width % 32;
  const __m128i value = _mm_loadu_si128(from + Row);
  word = kShift == 0 ? value : _mm_or_si128(word, _mm_slli_epi32(value, kShift));
  if constexpr (kShift + Width >= 32) _mm_storeu_si128(to + kWord, word);
  if constexpr (kShift + Width > 32) word = _mm_srli_epi32(value, 32 - kShift);
}

template <unsigned Width>
void unpack_width(const std::uint8_t* from, std::uint32_t* values) {
  if constexpr (Width == 0) {
    std::memset(values, 0, kPackedBlock * sizeof *values);
  } else {
    [&]<unsigned... Row>(std::integer_sequence<unsigned, Row...>) {
      (_mm_storeu_si128(reinterpret_cast<__m128i*>(values) + Row,
                        unpack_row<Width, Row>(reinterpret_cast<const __m128i*>(from))),
       ...);
    }
    (std::make_integer_sequence<unsigned, kRows>{});
  }
}

template <unsigned Width>
void pack_width(const std::uint32_t* values, std::uint8_t* to) {
  if constexpr (Width > 0) {
    __m128i word = _mm_setzero_si128();
    [&]<unsigned... Row>(std::integer_sequence<unsigned, Row...>) {
      (pack_row<Width, Row>(reinterpret_cast<const __m128i*>(values), reinterpret_cast<__m128i*>(to), word), ...);
    }
    (std::make_integer_sequence<unsigned, kRows>{});
  }
}

using Unpack = void (*)(const std::uint8_t*, std::uint32_t*);
using Documents = void (*)(const std::uint8_t*, std::uint32_t, std::uint32_t*);
using Pack = void (*)(const std::uint32_t*, std::uint8_t*);

template <unsigned... Width>
constexpr auto unpack_table(std::integer_sequence<unsigned, Width...>) {
  return std::array<Unpack, sizeof...(Width)>{unpack_width<Width>...};
}
template <unsigned... Width>
constexpr auto documents_table(std::integer_sequence<unsigned, Width...>) {
  return std::array<Documents, sizeof...(Width)>{documents_width<Width>...};
}
template <unsigned... Width>
constexpr auto pack_table(std::integer_sequence<unsigned, Width...>) {
  return std::array<Pack, sizeof...(Width)>{pack_width<Width>...};
}

constexpr auto kUnpack = unpack_table(std::make_integer_sequence<unsigned, kMaxPackedWidth + 1>{});
constexpr auto kDocuments = documents_table(std::make_integer_sequence<unsigned, kMaxPackedWidth + 1>{});
constexpr auto kPack = pack_table(std::make_integer_sequence<unsigned, kMaxPackedWidth + 1>{});

}  // namespace

void pack_block(const std::uint32_t* values, unsigned width, std::uint8_t* to) { kPack[width](values, to); }

void unpack_block(const std::uint8_t* from, unsigned width, std::uint32_t* values) { kUnpack[width](from, values); }

void unpack_documents(const std::uint8_t* from, unsigned width, std::uint32_t first, std::uint32_t* documents) {
  kDocuments[width](from, first, documents);
}

void pack_block_portable(const std::uint32_t* values, unsigned width, std::uint8_t* to) {
  std::fill_n(to, packed_bytes(width), std::uint8_t{0});
  for (unsigned i = 0; i < kPackedBlock; ++i) {
    for (unsigned bit = 0; bit < width; ++bit) {
      if ((values[i] >> bit & 1) == 0) continue;
      const unsigned at = i / 4 * width + bit;  // bit offset in the lane
      to[at / 32 * 16 + i % 4 * 4 + at % 32 / 8] |= static_cast<std::uint8_t>(1u << at % 8);
    }
  }
}

void unpack_block_portable(const std::uint8_t* from, unsigned width, std::uint32_t* values) {
  for (unsigned i = 0; i < kPackedBlock; ++i) {
    values[i] = 0;
    for (unsigned bit = 0; bit < width; ++bit) {
      const unsigned at = i / 4 * width + bit;
      const unsigned byte = from[at / 32 * 16 + i % 4 * 4 + at % 32 / 8];
      values[i] |= (byte >> at % 8 & 1u) << bit;
    }
  }
}

}  // namespace spillway
