// Bit masks that say which bytes of a scanned text are words, and functions that read them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "text/scan/word_kernels.hpp"

namespace spillway {

// One bit per byte of the text; bits after its end are 0.
struct WordMarks {
  using Bits = std::array<std::uint64_t, kScanBytes / 64>;
  Bits words;  // word bytes
  // Has at least one bit in each special word, and none elsewhere. A word is special if it has a byte of 0x80 or above,
  // or more than kShortTokenBytes bytes.
  Bits special;
};

// First byte of the word that contains byte `at`.
inline std::size_t word_begin(const WordMarks::Bits& words, std::size_t at) {
  std::size_t block = at / 64;
  std::uint64_t others = ~words[block] & ((std::uint64_t{1} << at % 64) - 1);
  while (others == 0 && block != 0) others = ~words[--block];
  return others == 0 ? 0 : 64 * block + static_cast<std::size_t>(std::bit_width(others));
}

// First byte from `at` on that is not a word byte, or `bytes` if there is none before it.
inline std::size_t word_end(const WordMarks::Bits& words, std::size_t at, std::size_t bytes) {
  std::size_t block = at / 64;
  std::uint64_t others = ~words[block] & ~std::uint64_t{0} << at % 64;
  while (others == 0 && 64 * (block + 1) < bytes) others = ~words[++block];
  return others == 0 ? bytes : 64 * block + static_cast<std::size_t>(std::countr_zero(others));
}

// Begins and ends, in turn, of the special words in a text of `bytes` bytes. `edges` has room for bytes + 1 offsets.
inline std::span<const std::uint16_t> special_words(const WordMarks& marks, std::size_t bytes, std::uint16_t* edges) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes;) {
    const std::uint64_t special = marks.special[at / 64] & ~std::uint64_t{0} << at % 64;
    if (special == 0) {
      at = (at / 64 + 1) * 64;
      continue;
    }
    const std::size_t inside = at / 64 * 64 + static_cast<std::size_t>(std::countr_zero(special));
    at = word_end(marks.words, inside, bytes);
    edges[count++] = static_cast<std::uint16_t>(word_begin(marks.words, inside));
    edges[count++] = static_cast<std::uint16_t>(at);
  }
  return {edges, count};
}

// Number of words in [begin, end). Requires: no word crosses either border.
inline std::size_t words_between(const WordMarks& marks, std::size_t begin, std::size_t end) {
  std::size_t count = 0;
  for (std::size_t block = begin / 64; 64 * block < end; ++block) {
    std::uint64_t words = marks.words[block];
    if (block == begin / 64) words &= ~std::uint64_t{0} << begin % 64;
    if (end - 64 * block < 64) words &= (std::uint64_t{1} << end % 64) - 1;
    const std::uint64_t before = block == begin / 64 ? 0 : marks.words[block - 1] >> 63;
    count += count_bits(words & ~(words << 1 | before));
  }
  return count;
}

}  // namespace spillway
