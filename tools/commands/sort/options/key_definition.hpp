// Keys as they are written on the command line of `spillway sort`.
#pragma once

#include <optional>
#include <string>

#include "sort/lines/keys/order.hpp"

namespace spillway {

struct SortKeyFlags {
  bool b_begin = false, b_end = false, d = false, f = false, g = false, h = false, i = false, M = false, n = false,
       R = false, r = false, V = false;
  // Whether nothing but -r is set: then the key takes the global options.
  bool are_default() const { return !(b_begin || b_end || d || f || g || h || i || M || n || R || V); }
};

// A key as it was written.
struct SortKeyText {
  KeyPlace place;
  SortKeyFlags flags;
  bool is_obsolescent = false;
};

// Reads -k's argument. Throws SortError.
SortKeyText parse_key_definition(const std::string& text);
// Reads +POS [-POS]; nothing if `begin` is no such position. `end` may be empty.
std::optional<SortKeyText> parse_obsolescent_key(const std::string& begin, const std::string& end);
// Sets the flags of the letters at the begin of `text`, for the begin or the end of a key or both, and returns the
// rest.
enum class KeySide { kBegin, kEnd, kBoth };
const char* set_key_flags(const char* text, SortKeyFlags& flags, KeySide side);
// Letters of the options that are set, for messages.
std::string key_letters(const SortKeyFlags& flags);
// Throws SortError if options of the key exclude each other.
LineKey line_key(const SortKeyText& key);

}  // namespace spillway
