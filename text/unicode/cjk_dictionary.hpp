// ICU's dictionary of Chinese and Japanese words, walked one character at a time: the words that begin at one place of
// a text lie on one path from the root.
#pragma once

#include <unicode/ucharstrie.h>
#include <unicode/udata.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace spillway {

// Hiragana, Katakana and Han characters that NFKC never changes, whichever of them are neighbours.
constexpr bool is_kana_or_han(char32_t c) {
  return (c >= 0x3041 && c <= 0x3096) || (c >= 0x30A1 && c <= 0x30FA) || c == 0x30FC || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x4E00 && c <= 0x9FFF) || c == 0x3005 || c == 0x3007;
}

// The node that a sequence of characters leads to.
struct DictionaryStep {
  std::uint32_t state = 0;  // node to continue from for longer words; 0: there are none
  std::uint16_t cost = 0;   // of the word that ends here, smaller if more common; kNoWord: no word ends here
  static constexpr std::uint16_t kNoWord = 0xFFFF;
};

// Thread-safe; one instance for the whole process.
class CjkDictionary {
 public:
  // nullptr if ICU has no dictionary, or one in an unknown format.
  static const CjkDictionary* instance();

  // Requires: is_kana_or_han(character).
  DictionaryStep first(char16_t character) const {
    const std::size_t number = character - kFirstCharacter;
    const Page* page = pages_[number / kPageSize].load(std::memory_order_acquire);
    if (page == nullptr) page = make_page(number / kPageSize);
    return (*page)[number % kPageSize];
  }
  // Requires: state > 0.
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
  // Steps from the root, where a search takes longest. Pages are filled when they are first needed.
  mutable std::atomic<const Page*> pages_[(kEndCharacter - kFirstCharacter) / kPageSize] = {};
};

}  // namespace spillway
