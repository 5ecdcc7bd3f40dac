#include "text/unicode/folded_word.hpp"

#include <unicode/ustring.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "io/base/error.hpp"
#include "text/scan/word_kernels.hpp"

namespace spillway {

namespace {

void check_icu(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) throw IoError(std::string("ICU: ") + what + " failed: " + u_errorName(status));
}

// Reads the character at `at` and moves `at` past it. Returns -1 if it is ill-formed or above the BMP.
std::int32_t next_bmp_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<std::uint8_t>(text[at + i])); };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const std::size_t left = text.size() - at;
  const std::uint32_t lead = byte(0);
  if ((lead & 0xF0) == 0xE0 && left >= 3 && continues(1) && continues(2)) {
    const std::uint32_t c = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (c < 0x800 || (c >= 0xD800 && c < 0xE000)) return -1;
    at += 3;
    return static_cast<std::int32_t>(c);
  }
  if (lead < 0x80) {
    ++at;
    return static_cast<std::int32_t>(lead);
  }
  if (lead >= 0xC2 && lead < 0xE0 && left >= 2 && continues(1)) {
    const std::uint32_t c = (lead & 0x1F) << 6 | (byte(1) & 0x3F);
    at += 2;
    return static_cast<std::int32_t>(c);
  }
  return -1;
}

}  // namespace

FoldedWord::FoldedWord() {
  UErrorCode status = U_ZERO_ERROR;
  normalizer_ = unorm2_getNFKCCasefoldInstance(&status);
  check_icu(status, "loading NFKC_Casefold");
}

void FoldedWord::fold(std::string_view word) {
  const bool is_long = word.size() > kKeptBytes;
  if (std::exchange(is_long_, is_long) && !is_long) give_back();
  if (!fold_simple(word)) fold_any(word);
  const std::size_t bytes = std::max(3 * count_, word.size()) + kScanPadding;
  if (text_.size() < bytes) text_.resize(bytes);
  if (unchanged_) {
    std::memcpy(text_.data(), word.data(), word.size());
  } else {
    write_text();
  }
}

void FoldedWord::make_room(std::size_t units) {
  if (units < places_.size()) return;
  units_.resize(units);
  kinds_.resize(units);
  places_.resize(units + 1);
}

void FoldedWord::give_back() {
  raw_ = std::vector<char16_t>();
  units_ = std::vector<char16_t>();
  kinds_ = std::vector<std::uint8_t>();
  places_ = std::vector<std::uint32_t>();
  text_ = std::vector<char>();
}

// Folds character by character. Returns false if a character is not simple.
bool FoldedWord::fold_simple(std::string_view word) {
  make_room(word.size());
  std::size_t count = 0, at = 0;
  std::uint32_t changes = 0;
  for (; at < word.size(); ++count) {
    places_[count] = static_cast<std::uint32_t>(at);
    const std::int32_t c = next_bmp_character(word, at);
    if (c < 0) return false;
    const CharacterEntry entry = characters_[static_cast<std::uint32_t>(c)];
    if (!entry.simple) return false;
    const std::uint32_t word_bit = entry.kind & kWordCharacter;
    changes |= (entry.folded ^ static_cast<std::uint32_t>(c)) & (0U - word_bit);
    units_[count] = entry.folded;
    kinds_[count] = entry.kind;
  }
  places_[count] = static_cast<std::uint32_t>(at);
  count_ = count;
  unchanged_ = changes == 0;
  return true;
}

void FoldedWord::fold_any(std::string_view word) {
  raw_.resize(word.size() + 1);
  std::int32_t raw_count = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strFromUTF8WithSub(raw_.data(), static_cast<std::int32_t>(raw_.size()), &raw_count, word.data(),
                       static_cast<std::int32_t>(word.size()), 0xFFFD, nullptr, &status);
  check_icu(status, "conversion from UTF-8");
  make_room(word.size() + 64);
  status = U_ZERO_ERROR;
  std::int32_t count = unorm2_normalize(normalizer_, raw_.data(), raw_count, units_.data(),
                                        static_cast<std::int32_t>(units_.size()), &status);
  if (status == U_BUFFER_OVERFLOW_ERROR) {
    make_room(static_cast<std::size_t>(count) + 1);
    status = U_ZERO_ERROR;
    count = unorm2_normalize(normalizer_, raw_.data(), raw_count, units_.data(),
                             static_cast<std::int32_t>(units_.size()), &status);
  }
  check_icu(status, "NFKC_Casefold");
  count_ = static_cast<std::size_t>(count);
  unchanged_ = false;
  for (std::int32_t at = 0; at < count;) {
    const auto start = static_cast<std::size_t>(at);
    UChar32 c = 0;
    U16_NEXT(units_.data(), at, count, c);
    std::fill(kinds_.begin() + static_cast<std::ptrdiff_t>(start), kinds_.begin() + at, character_kind(c));
  }
}

void FoldedWord::write_text() {
  std::uint32_t bytes = 0;
  for (std::size_t at = 0; at < count_;) {
    places_[at] = bytes;
    UChar32 c = 0;
    U16_NEXT(units_.data(), at, count_, c);
    U8_APPEND_UNSAFE(text_.data(), bytes, c);
  }
  places_[count_] = bytes;
}

}  // namespace spillway
