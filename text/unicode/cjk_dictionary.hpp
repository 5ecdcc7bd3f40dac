// ICU's dictionary of Chinese and Japanese words, walked a character at a time: the words that begin somewhere in a
// text are a path from its root.
#pragma once

#include <unicode/ucharstrie.h>
#include <unicode/udata.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace spillway {

// Hiragana, Katakana and Han that NFKC leaves as they are, whatever of them stands beside them.
constexpr bool is_kana_or_han(char32_t c) {
  return (c >= 0x3041 && c <= 0x3096) || (c >= 0x30A1 && c <= 0x30FA) || c == 0x30FC || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x4E00 && c <= 0x9FFF) || c == 0x3005 || c == 0x3007;
}

// Where some characters lead from the root.
struct DictionaryStep {
  std::uint32_t state = 0;  // where longer words go on from; 0: there are none
  std::uint16_t cost = 0;   // of the word that ends here, the smaller the more common; kNoWord: none does
  static constexpr std::uint16_t kNoWord = 0xFFFF;
};

// Thread-safe; one for all.
class CjkDictionary {
 public:
  // nullptr where ICU has none, or none of the form that is known here.
  static const CjkDictionary* instance();

  // Requires: is_kana_or_han(character).
  DictionaryStep first(char16_t character) const {
    const std::size_t number = character - kFirstCharacter;
    const Page* page = pages_[number / kPageSize].load(std::memory_order_acquire);
    if (page == nullptr) page = make_page(number / kPageSize);
    return (*page)[number % kPageSize];
  }
  // From a state above 0.
  DictionaryStep next(std::uint32_t state, char16_t character) const;

 private:
  static constexpr std::size_t kFirstCharacter = 0x3000, kEndCharacter = 0xA000, kPageSize = 256;
  using Page = std::array<DictionaryStep, kPageSize>;

  explicit CjkDictionary(UDataMemory* data);
  ~CjkDictionary();
  CjkDictionary(const CjkDictionary&) = delete;
  CjkDictionary& operator=(const CjkDictionary&) = delete;

  static UDataMemory* open_data();
  DictionaryStep step_of(icu::UCharsTrie& trie, UStringTrieResult result) const;
  const Page* make_page(std::size_t number) const;

  UDataMemory* data_;
  const char16_t* trie_;
  // Steps from the root, by pages, filled as they are met: a search there takes longest.
  mutable std::atomic<const Page*> pages_[(kEndCharacter - kFirstCharacter) / kPageSize] = {};
};

}  // namespace spillway
