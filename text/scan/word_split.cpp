#include "text/scan/word_split.hpp"

#include <cstdint>

namespace spillway {

namespace {

std::uint32_t byte_at(std::string_view word, std::size_t at) { return static_cast<std::uint8_t>(word[at]); }

bool is_continuation(std::uint32_t byte) { return (byte & 0xC0) == 0x80; }

// Leads of U+00C0 to U+07FF. The few separators among these characters (× ÷ and Greek, Hebrew and Arabic marks) only
// matter in a word of 64 KiB without any separator that is_separator() knows.
bool is_lead_of_two(std::uint32_t byte) { return byte >= 0xC3 && byte <= 0xDF; }

// Zero-width characters U+200B to U+200F: casefolding removes them, which joins the characters around them.
bool is_ignored(std::string_view word, std::size_t at) {
  return byte_at(word, at) == 0xE2 && byte_at(word, at + 1) == 0x80 && byte_at(word, at + 2) >= 0x8B &&
         byte_at(word, at + 2) <= 0x8F;
}

// Whether the character that ends at `end` certainly separates tokens, before and after normalisation.
bool is_separator(std::string_view word, std::size_t end) {
  const std::uint32_t last_two = byte_at(word, end - 2) << 8 | byte_at(word, end - 1);
  if (last_two == 0xC2A0 || last_two == 0xC2AB || last_two == 0xC2BB) return true;  // no-break space, « »
  const std::uint32_t last_three = byte_at(word, end - 3) << 16 | last_two;
  return (last_three >= 0xE28090 && last_three <= 0xE28095) ||  // U+2010 to U+2015: dashes
         (last_three >= 0xE28098 && last_three <= 0xE280A7) ||  // U+2018 to U+2027: quotes, dots
         (last_three >= 0xE38080 && last_three <= 0xE38082) ||  // U+3000 to U+3002: space, comma, full stop
         (last_three >= 0xEFBC81 && last_three <= 0xEFBC8F);    // U+FF01 to U+FF0F: exclamation mark to slash
}

}  // namespace

std::size_t one_token_prefix(std::string_view word, std::size_t known) {
  while (known < word.size()) {
    if (byte_at(word, known) < 0x80) {
      ++known;
    } else if (known + 1 < word.size() && is_lead_of_two(byte_at(word, known)) &&
               is_continuation(byte_at(word, known + 1))) {
      known += 2;
    } else if (known + 2 < word.size() && is_ignored(word, known)) {
      known += 3;
    } else {
      break;
    }
  }
  return known;
}

std::size_t find_word_split(std::string_view word, std::size_t limit) {
  for (std::size_t end = limit; end >= 3; --end) {
    if (is_separator(word, end)) return end;
  }
  while (is_continuation(byte_at(word, limit)) && limit > 1) --limit;
  std::size_t begin = limit;  // start of the letters of one token that end at the limit
  while (begin > 0) {
    const std::uint32_t byte = byte_at(word, begin - 1);
    if (byte < 0x80) {
      --begin;
    } else if (begin > 1 && is_continuation(byte) && is_lead_of_two(byte_at(word, begin - 2))) {
      begin -= 2;
    } else {
      break;
    }
  }
  return begin > 0 ? begin : limit;
}

}  // namespace spillway
