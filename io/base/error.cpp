#include "io/base/error.hpp"

#include <cstdint>
#include <cstdio>

namespace spillway {

namespace {

// Returns the length in bytes of the well-formed UTF-8 sequence at text[at] and sets *code_point; 0 if it is
// ill-formed.
std::size_t decode_utf8(std::string_view text, std::size_t at, std::uint32_t* code_point) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[at + i]); };
  const std::uint32_t lead = byte(0);
  std::size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length == 0 || at + length > text.size()) return 0;
  std::uint32_t value = length == 1 ? lead : lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return 0;
  *code_point = value;
  return length;
}

bool is_dangerous(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string result;
  char escape[16];
  for (std::size_t at = 0; at < text.size();) {
    if (result.size() >= max_bytes) return result + "...";
    std::uint32_t code_point = 0;
    const std::size_t length = decode_utf8(text, at, &code_point);
    if (length == 0) {
      std::snprintf(escape, sizeof escape, "\\x%02X", static_cast<unsigned>(static_cast<std::uint8_t>(text[at])));
      result += escape;
    } else if (is_dangerous(code_point)) {
      std::snprintf(escape, sizeof escape, code_point < 0x100 ? "\\x%02X" : "\\u{%04X}", code_point);
      result += escape;
    } else {
      result += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return result;
}

}  // namespace spillway
