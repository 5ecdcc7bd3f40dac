// Decides the encoding of a document from its first bytes: by a byte order mark, else the label of the HTTP header,
// else a declaration in the document, else UTF-8 if the bytes are valid, else by a guess of uchardet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "corpora/charset/encodings.hpp"

namespace spillway {

// With so many bytes the encoding of any document is decided.
inline constexpr std::size_t kDetectBytes = 64 << 10;

enum class CharsetSource : std::uint8_t {
  kMark,
  kNulBytes,  // UTF-16 without a mark
  kHeader,
  kDeclaration,
  kValidUtf8,  // ASCII too
  kGuess,
  kNone  // read as UTF-8, with repairs
};
std::string_view charset_source_name(CharsetSource source);  // "mark", "nul-bytes", "header", ...

struct Charset {
  const Encoding* encoding = nullptr;
  CharsetSource source = CharsetSource::kNone;
  std::size_t mark_bytes = 0;  // of the byte order mark, which is not text
};

// UTF-16LE or UTF-16BE if `begin` is ASCII in it without a byte order mark: every second of the first 32 bytes is NUL,
// and the others are printable or white space. nullptr otherwise, also for fewer than 8 bytes.
const Encoding* unmarked_utf16(std::string_view begin);

enum class CharsetMarkup : std::uint8_t { kHtml, kPlainText };

struct CharsetHints {
  std::string_view label = {};  // of the HTTP header; empty or unknown: none
  CharsetMarkup markup = CharsetMarkup::kHtml;
};

enum class CharsetBytes : std::uint8_t { kSome, kAll };

// Returns nothing if more bytes are needed. Requires: `begin` is the start of the document, and all of it with kAll.
// The result is the same for any longer start. Threads may call it at the same time.
std::optional<Charset> detect_charset(std::string_view begin, CharsetBytes bytes, const CharsetHints& hints);

}  // namespace spillway
