// Unescapes whole JSON strings in memory, 16, 32 or 64 bytes at a time: the hot loop of JSONL input. Time O(bytes).
#pragma once

#include <cstdint>

#include "corpora/document/record_source.hpp"

namespace spillway {

// The end of an unescaped string: `next` is after its closing quote, `out` after its last byte. next == nullptr: the
// string has a control character, a bad escape or a lone surrogate; the scanner finds out which.
struct UnescapedString {
  const char* next;
  char* out;
};

// Copies bytes from 0x80 unchanged. Sets bits of `high` if there are any, and perhaps for bytes after the closing
// quote. Requires: `in` is after the opening quote; a byte below 0x20 (a newline) at or after the end of the record,
// followed by kRecordPadding readable bytes; room in `out` for the rest of the record and kRecordPadding bytes, which
// no byte of the record shares.
using UnescapeFunction = UnescapedString (*)(const char* in, char* out, std::uint64_t& high);

UnescapedString unescape_string_sse2(const char* in, char* out, std::uint64_t& high);
// Requires: the CPU has AVX2.
UnescapedString unescape_string_avx2(const char* in, char* out, std::uint64_t& high);
// Requires: has_unescape_avx512().
UnescapedString unescape_string_avx512(const char* in, char* out, std::uint64_t& high);
bool has_unescape_avx512();

// A part of a string: `next` is after its closing quote, if it ends with the string, or after a space or a control
// character, escaped or not. next == nullptr: as UnescapedString.
struct UnescapedPart {
  const char* next;
  char* out;
  bool ends_string;
};

// Unescapes a part of at least `least` bytes of the string, unless that ends before. Otherwise as UnescapeFunction.
// Requires: has_unescape_avx512(); `in` is outside of an escape.
UnescapedPart unescape_part_avx512(const char* in, std::size_t least, char* out, std::uint64_t& high);

// The fastest function that this CPU can run.
UnescapeFunction best_unescape_function();

// The value of a hexadecimal digit; 0x10000 for any other character.
unsigned hex_value(char digit);
// The character that "\<letter>" stands for; 0 if there is none, and for 'u'.
char simple_escape(char letter);

}  // namespace spillway
