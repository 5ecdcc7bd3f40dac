// What the `unicode` tokenizer needs to know of a character, from ICU, a lookup instead of four calls: what
// NFKC_Casefold makes of it, and what kind of character that is.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace spillway {

// What kind of character, once folded.
enum CharacterKind : std::uint8_t {
  kWordCharacter = 1,  // general category L, N or M
  kMark = 2,           // M
  kUnspaced = 4,       // of a script written without spaces between words, so that only a dictionary finds them
  kKanaOrHan = 8,      // is_kana_or_han()
};

struct CharacterEntry {
  // NFKC_Casefold of a text is that of its parts, one after the other, if each part but the first begins with a
  // character that has a normalization boundary before it (unorm2_hasBoundaryBefore). Simple characters have one and
  // fold to a single character of the BMP, so a text of them folds character by character.
  bool simple = false;
  std::uint8_t kind = 0;     // CharacterKind bits, if it is simple
  std::uint16_t folded = 0;  // if it is simple
};

// CharacterKind bits of any character as it stands.
std::uint8_t character_kind(std::int32_t character);

// Filled by pages of 256 characters as they are met. Thread-safe; one for all.
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
