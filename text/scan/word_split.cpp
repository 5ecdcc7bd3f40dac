#include "text/scan/word_split.hpp"

#include <cstdint>

namespace spillway {

namespace {

std::uint32_t byte_at(std::string_view run, std::size_t at) { return static_cast<std::uint8_t>(run[at]); }

bool is_continuation(std::uint32_t byte) { return (byte & 0xC0) == 0x80; }

// U+00C0 to U+07FF. The few separators among them (× ÷ and marks of Greek, Hebrew and Arabic) only matter in a run of
// 64 KiB that has none of those that is_separator knows.
bool is_lead_of_two(std::uint32_t byte) { return byte >= 0xC3 && byte <= 0xDF; }

// Zero-width characters U+200B to U+200F: casefolding removes them, so that what stands around them is one token.
bool is_ignored(std::string_view run, std::size_t at) {
  return byte_at(run, at) == 0xE2 && byte_at(run, at + 1) == 0x80 && byte_at(run, at + 2) >= 0x8B &&
         byte_at(run, at + 2) <= 0x8F;
}

// Is the character that ends at `end` one that surely separates tokens, before and after normalisation?
bool is_separator(std::string_view run, std::size_t end) {
  const std::uint32_t last_two = byte_at(run, end - 2) << 8 | byte_at(run, end - 1);
  if (last_two == 0xC2A0 || last_two == 0xC2AB || last_two == 0xC2BB) return true;  // no-break space, « »
  const std::uint32_t last_three = byte_at(run, end - 3) << 16 | last_two;
  return (last_three >= 0xE28090 && last_three <= 0xE28095) ||  // U+2010 to U+2015: dashes
         (last_three >= 0xE28098 && last_three <= 0xE280A7) ||  // U+2018 to U+2027: quotes, dots
         (last_three >= 0xE38080 && last_three <= 0xE38082) ||  // U+3000 to U+3002: space, comma, full stop
         (last_three >= 0xEFBC81 && last_three <= 0xEFBC8F);    // U+FF01 to U+FF0F: exclamation mark to slash
}

}  // namespace

std::size_t one_token_prefix(std::string_view run, std::size_t known) {
  while (known < run.size()) {
    if (byte_at(run, known) < 0x80) {
      ++known;
    } else if (known + 1 < run.size() && is_lead_of_two(byte_at(run, known)) &&
               is_continuation(byte_at(run, known + 1))) {
      known += 2;
    } else if (known + 2 < run.size() && is_ignored(run, known)) {
      known += 3;
    } else {
      break;
    }
  }
  return known;
}

std::size_t find_run_cut(std::string_view run, std::size_t limit) {
  for (std::size_t end = limit; end >= 3; --end) {
    if (is_separator(run, end)) return end;
  }
  while (is_continuation(byte_at(run, limit)) && limit > 1) --limit;
  std::size_t begin = limit;  // of the letters of one token that end at the limit
  while (begin > 0) {
    const std::uint32_t byte = byte_at(run, begin - 1);
    if (byte < 0x80) {
      --begin;
    } else if (begin > 1 && is_continuation(byte) && is_lead_of_two(byte_at(run, begin - 2))) {
      begin -= 2;
    } else {
      break;
    }
  }
  return begin > 0 ? begin : limit;
}

}  // namespace spillway
