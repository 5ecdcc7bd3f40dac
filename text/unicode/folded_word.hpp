// A word after NFKC_Casefold: its UTF-16 units with their kinds, and the same text as UTF-8. Time O(word).
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

  // Throws IoError if ICU's data is missing.
  FoldedWord();

  // Folds a UTF-8 word, in which ill-formed bytes become U+FFFD. The other accessors describe the most recent word. The
  // memory for words of up to kKeptBytes is kept; that of a longer word, about 12 times its bytes, is released by the
  // next shorter one.
  void fold(std::string_view word);

  std::span<const char16_t> units() const { return {units_.data(), count_}; }
  std::span<const std::uint8_t> kinds() const { return {kinds_.data(), count_}; }  // CharacterKind bits
  // The units as UTF-8, or the word itself if is_unchanged(), with kScanPadding readable bytes after it.
  const char* text() const { return text_.data(); }
  // Offset in the text of a unit that begins a character; for units().size(), the length of the text.
  std::uint32_t place(std::size_t unit) const { return places_[unit]; }
  // Whether folding changed no word character. Other characters may have changed: fullwidth punctuation is frequent.
  bool is_unchanged() const { return unchanged_; }

 private:
  bool fold_simple(std::string_view word);
  void fold_any(std::string_view word);
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
