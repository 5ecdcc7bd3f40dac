// A run of word bytes after NFKC_Casefold: its UTF-16 units with their kinds, and the same as UTF-8.
#pragma once

#include <unicode/unorm2.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/unicode/character_table.hpp"

namespace spillway {

// Not thread-safe.
class FoldedWord {
 public:
  static constexpr std::size_t kKeptBytes = 4096;

  // Throws IoError where ICU's data is missing.
  FoldedWord();

  // Of `run`, UTF-8, of which ill-formed bytes become U+FFFD. What the others tell is of the last run. It keeps memory
  // for runs of up to kKeptBytes; that of a longer one, about 12 times its bytes, until the next shorter one.
  void fold(std::string_view run);

  std::span<const char16_t> units() const { return {units_.data(), count_}; }
  std::span<const std::uint8_t> kinds() const { return {kinds_.data(), count_}; }  // CharacterKind bits
  // UTF-8 of the units, or the run if is_unchanged(); kScanPadding bytes behind it may be read.
  const char* text() const { return text_.data(); }
  // Where a unit that begins a character stands in the text; of units().size(), the text's end.
  std::uint32_t place(std::size_t unit) const { return places_[unit]; }
  // Are all characters of words as they stand in the run? Others may be folded: fullwidth punctuation is frequent.
  bool is_unchanged() const { return unchanged_; }

 private:
  bool fold_simple(std::string_view run);
  void fold_any(std::string_view run);
  void write_text();
  void make_room(std::size_t units);
  void give_back();

  const UNormalizer2* normalizer_;  // ICU's singleton
  const CharacterTable& characters_ = CharacterTable::instance();
  std::vector<char16_t> raw_, units_;
  std::vector<std::uint8_t> kinds_;
  std::vector<std::uint32_t> places_;
  std::vector<char> text_;
  std::size_t count_ = 0;
  bool unchanged_ = false, is_long_ = false;
};

}  // namespace spillway
