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

// Not thread-safe: one per parsing thread.
class CjkWords {
 public:
  // Returns nothing if ICU itself must split: in all releases but those whose results were shown to be the same (72),
  // because other releases may have another dictionary or another algorithm. A build of release 72 may have another
  // dictionary too, so samples that need every rule are compared once. `memory_bytes`: for cached steps, at least 4
  // KiB.
  static std::optional<CjkWords> open(std::size_t memory_bytes);

  // Returns the ends of the words, ascending; the last one is the size of the stretch. Valid until the next call.
  // Requires: a non-empty stretch in which is_kana_or_han() holds for every character.
  std::span<const std::uint32_t> find(std::span<const char16_t> stretch);

 private:
  CjkWords(const CjkDictionary& dictionary, std::size_t memory_bytes);

  struct Remembered {
    std::uint64_t key = 0;  // state and character; 0: empty
    DictionaryStep step;
  };

  DictionaryStep next(std::uint32_t state, char16_t character);
  void take_dictionary_words(std::span<const char16_t> stretch, std::size_t begin);
  void take_katakana(std::span<const char16_t> stretch, std::size_t begin);
  void take_word(std::size_t begin, std::size_t end, std::uint64_t cost);

  const CjkDictionary* dictionary_;
  std::vector<Remembered> remembered_;
  unsigned shift_;
  // Indexed by place in the stretch. The upper half of an entry is the cost of the cheapest words up to that place, the
  // lower half the place where the last of them begins.
  std::vector<std::uint64_t> best_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace spillway
