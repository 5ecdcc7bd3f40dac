// Finds words in stretches of kana and Han: the cheapest way through the dictionary's words, as ICU's word break finds
// it (icu4c/source/common/dictbe.cpp, CjkBreakEngine::divideUpDictionaryRange), in a seventh of the time
// (docs/results/decisions.md). What follows two or more characters in the dictionary is remembered: the same pairs come
// all the time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "text/unicode/cjk_dictionary.hpp"

namespace spillway {

// Not thread-safe; one per parsing thread.
class CjkWords {
 public:
  // Nothing where words must be found by ICU: in all of its releases but those with which tests showed that this finds
  // what it finds (72), as others may have another dictionary, or another way through it. Builds of such a release can
  // have another dictionary, too: a text that needs every rule is tried, once. `memory_bytes`, at least 4 KiB: of steps
  // that are remembered.
  static std::optional<CjkWords> open(std::size_t memory_bytes);

  // The ends of the stretch's words, ascending, the last is its size. Valid until the next call.
  // Requires: is_kana_or_han() of all of the stretch, which is not empty.
  std::span<const std::uint32_t> find(std::span<const char16_t> stretch);

 private:
  CjkWords(const CjkDictionary& dictionary, std::size_t memory_bytes);

  struct Remembered {
    std::uint64_t key = 0;  // state and character; 0: nothing
    DictionaryStep step;
  };

  DictionaryStep next(std::uint32_t state, char16_t character);
  void take_dictionary_words(std::span<const char16_t> stretch, std::size_t begin);
  void take_katakana(std::span<const char16_t> stretch, std::size_t begin);
  void take_word(std::size_t begin, std::size_t end, std::uint64_t cost);

  const CjkDictionary* dictionary_;
  std::vector<Remembered> remembered_;
  unsigned shift_;
  // By place in the stretch, of the cheapest words up to there: their cost, and where the last begins in the lower
  // half.
  std::vector<std::uint64_t> best_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace spillway
