// The encodings of the web and their labels (WHATWG Encoding, section 4.2), and the converters of ICU that decode them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace spillway {

enum class EncodingKind : std::uint8_t {
  kUtf8,
  kAsciiSuperset,  // bytes below 0x80 that start a character are ASCII
  kEscapes,        // escape sequences switch between character sets
  kUtf16,
  kLatin10,      // iso-8859-16, which ICU does not have
  kUserDefined,  // x-user-defined: bytes from 0x80 are U+F780 and on
  kReplacement   // not decoded, as it was used for attacks: the whole input is one U+FFFD
};

struct Encoding {
  std::string_view name;  // the WHATWG's, or that of a guess, in lower case
  EncodingKind kind;
  const char* converter;    // ICU's name; nullptr: none is needed
  std::string_view labels;  // in lower case, separated by spaces
};

// All encodings of the WHATWG.
std::span<const Encoding> all_encodings();

// The encoding of a label, in any case and with white space around it; nullptr if it is unknown.
const Encoding* find_encoding(std::string_view label);

// The encoding that uchardet names; nullptr if there is none. uchardet knows a few that the web does not.
const Encoding* find_guessed_encoding(std::string_view name);

const Encoding& utf8_encoding();

}  // namespace spillway
