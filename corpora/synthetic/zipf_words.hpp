// Words as in natural text: the word of rank r comes with a probability proportional to 1 / (r + shift)^exponent
// (Zipf-Mandelbrot). Memory and set-up do not grow with the vocabulary: frequent ranks have an entry each, rarer ones
// share one with their neighbours (64 to an octave), all of which are equally likely.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "corpora/synthetic/fixed_math.hpp"

namespace spillway {

// Writes the word of a rank (from 0 on) to `out` and returns its end: syllables, so that the first 50 words have two
// letters, the next 2500 four, the next 125,000 six. Different ranks give different words.
char* write_word(std::uint64_t rank, char* out);
inline constexpr std::size_t kMaxWordBytes = 12;  // of ranks below 2^32

class ZipfWords {
 public:
  // Requires: 1 <= vocabulary < 2^32; 0 <= exponent <= 16 and 0 <= shift < 2^20, fixed-point.
  ZipfWords(std::uint64_t vocabulary, std::int64_t exponent, std::int64_t shift);

  std::uint64_t sample_rank(SplitMix& random) const {
    const Entry& entry = pick(random);
    return entry.count == 1 ? entry.first : entry.first + random.below(entry.count);
  }
  // A random word and a space behind it. Requires: room for kWordRoom bytes.
  static constexpr std::size_t kWordRoom = 16;
  char* write_sample(SplitMix& random, char* out) const {
    const Entry& entry = pick(random);
    if (entry.first < kWrittenWords) {  // each of them has an entry of its own
      const WrittenWord& word = written_[entry.first];
      __builtin_memcpy(out, word.bytes, sizeof word.bytes);
      return out + word.size;
    }
    out = write_word(entry.count == 1 ? entry.first : entry.first + random.below(entry.count), out);
    *out++ = ' ';
    return out;
  }

 private:
  // Alias method (Walker 1977): a draw takes an entry, or the entry's alias.
  struct Entry {
    std::uint32_t first = 0;  // ranks [first, first + count)
    std::uint32_t count = 1;
    std::uint32_t alias = 0;
    std::uint32_t own_share = 0;  // of 2^32
  };
  static constexpr std::size_t kWrittenWords = 4096;
  struct WrittenWord {
    char bytes[15];
    std::uint8_t size;
  };

  const Entry& pick(SplitMix& random) const {
    const std::uint64_t draw = random.next();
    const auto index = static_cast<std::uint32_t>((draw >> 32) * entries_.size() >> 32);
    const Entry& entry = entries_[index];
    // Without a branch: it would be mispredicted half of the time.
    const std::uint32_t is_alias = -static_cast<std::uint32_t>(static_cast<std::uint32_t>(draw) >= entry.own_share);
    return entries_[index ^ ((index ^ entry.alias) & is_alias)];
  }
  void build_aliases(std::vector<std::uint64_t> weights);

  std::vector<Entry> entries_;
  std::vector<WrittenWord> written_;
};

}  // namespace spillway
