// Unescaping of whole JSON strings in memory, 16, 32 or 64 bytes at a time: the hot loop of JSONL input.
#pragma once

#include <cstddef>

namespace spillway {

// Bytes that may be read behind the record, and written behind the unescaped text.
inline constexpr std::size_t kJsonPadding = 64;

// Where an unescaped string ended: `next` is behind its closing quote, `out` behind its last byte. next == nullptr:
// a control character, a bad escape or a lone surrogate stands in it (the scanner then finds out which).
struct UnescapedString {
  const char* next;
  char* out;
};

// Requires: `in` is behind the opening quote; a byte below 0x20 stands at or behind the end of the record (a newline),
// and kJsonPadding readable bytes behind that; `out` has room for the rest of the record plus kJsonPadding.
// Bytes from 0x80 on are copied as they are.
using UnescapeFunction = UnescapedString (*)(const char* in, char* out);

UnescapedString unescape_string_sse2(const char* in, char* out);
UnescapedString unescape_string_avx2(const char* in, char* out);    // Requires: the CPU has AVX2
UnescapedString unescape_string_avx512(const char* in, char* out);  // Requires: has_unescape_avx512()
bool has_unescape_avx512();
// The fastest that this CPU can run.
UnescapeFunction best_unescape_function();

// The value of four hexadecimal digits, or above 0xFFFF if they are none.
unsigned parse_hex4(const char* digits);
// Writes the character (not a surrogate, at most 0x10FFFF) as UTF-8.
char* write_utf8(unsigned character, char* out);
// What "\<letter>" stands for; 0 for none (also for 'u').
char simple_escape(char letter);

}  // namespace spillway
