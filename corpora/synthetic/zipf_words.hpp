// Random words with the frequencies of natural text: the word of rank r has a probability proportional to
// 1 / (r + shift)^exponent (Zipf-Mandelbrot). A draw takes time O(1) by the alias method. Memory and set-up hardly grow
// with the vocabulary: each of the first 4096 ranks has an entry of its own; rarer ranks share entries, 64 per octave,
// whose ranks are equally likely.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "corpora/synthetic/fixed_math.hpp"

namespace spillway {

// Writes the word of a rank (from 0) and returns its end. Words consist of syllables: the first 50 words have two
// letters, the next 2500 four, the next 125,000 six. Different ranks have different words.
char* write_word(std::uint64_t rank, char* out);
inline constexpr std::size_t kMaxWordBytes = 12;  // for ranks below 2^32

class ZipfWords {
 public:
  // Requires: 1 <= vocabulary < 2^32; fixed-point numbers 0 <= exponent <= 16 and 0 <= shift < 2^20.
  ZipfWords(std::uint64_t vocabulary, std::int64_t exponent, std::int64_t shift);

  std::uint64_t sample_rank(SplitMix& random) const {
    const Entry& entry = pick(random);
    return entry.count == 1 ? entry.first : entry.first + random.below(entry.count);
  }
  // Writes a random word and a space. Requires: room for kWordRoom bytes.
  static constexpr std::size_t kWordRoom = 16;
  char* write_sample(SplitMix& random, char* out) const {
    const Entry& entry = pick(random);
    if (entry.first < kWrittenWords) {  // ranks with an entry of their own
      const WrittenWord& word = written_[entry.first];
      __builtin_memcpy(out, word.bytes, sizeof word.bytes);
      return out + word.size;
    }
    out = write_word(entry.count == 1 ? entry.first : entry.first + random.below(entry.count), out);
    *out++ = ' ';
    return out;
  }

 private:
  // Alias method (Walker 1977): a draw takes an entry or the alias of that entry.
  struct Entry {
    std::uint32_t first = 0;  // ranks [first, first + count)
    std::uint32_t count = 1;
    std::uint32_t alias = 0;
    std::uint32_t own_share = 0;  // probability of the entry itself, in units of 2^-32
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
    // No branch, because it would often be mispredicted.
    const std::uint32_t is_alias = -static_cast<std::uint32_t>(static_cast<std::uint32_t>(draw) >= entry.own_share);
    return entries_[index ^ ((index ^ entry.alias) & is_alias)];
  }
  void build_aliases(std::vector<std::uint64_t> weights);

  std::vector<Entry> entries_;
  std::vector<WrittenWord> written_;
};

}  // namespace spillway
