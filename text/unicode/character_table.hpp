// Holds the properties of a character that the `unicode` tokenizer needs from ICU: its NFKC_Casefold and the kind of
// the result. One table lookup replaces four calls of ICU.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace spillway {

// Kind of a folded character, as bits.
enum CharacterKind : std::uint8_t {
  kWordCharacter = 1,  // general category L, N or M
  kMark = 2,           // M
  kUnspaced = 4,       // of a script without spaces between words, which only a dictionary can split
  kKanaOrHan = 8,      // is_kana_or_han()
};

struct CharacterEntry {
  // A text may be folded fragment by fragment if each fragment but the first begins with a character that has a
  // normalization boundary before it (unorm2_hasBoundaryBefore). Simple characters have one and fold to a single
  // character of the BMP, so a text of simple characters folds character by character.
  bool simple = false;
  std::uint8_t kind = 0;     // CharacterKind bits, if it is simple
  std::uint16_t folded = 0;  // if it is simple
};

// CharacterKind bits of a character, without folding it.
std::uint8_t character_kind(std::int32_t character);

// Pages of 256 characters are filled when they are first needed. Thread-safe; one instance for the whole process.
class CharacterTable {
 public:
  static const CharacterTable& instance();

  // Requires: character <= 0xFFFF.
  CharacterEntry operator[](std::uint32_t character) const {
    const Page* page = pages_[character >> kPageBits].load(std::memory_order_acquire);
    if (page == nullptr) page = make_page(character >> kPageBits);
    return page->entries[character & (kPageSize - 1)];
  }

 private:
  static constexpr unsigned kPageBits = 8;
  static constexpr std::uint32_t kPageSize = 1U << kPageBits;
  struct Page {
    CharacterEntry entries[kPageSize];
  };

  CharacterTable() = default;
  ~CharacterTable();
  CharacterTable(const CharacterTable&) = delete;
  CharacterTable& operator=(const CharacterTable&) = delete;
  const Page* make_page(std::uint32_t number) const;

  mutable std::atomic<const Page*> pages_[0x10000 / kPageSize] = {};
};

}  // namespace spillway
