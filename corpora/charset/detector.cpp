#include "corpora/charset/detector.hpp"

#include <uchardet/uchardet.h>

#include <algorithm>
#include <memory>
#include <new>

#include "corpora/charset/prescan.hpp"
#include "corpora/document/utf8.hpp"

namespace spillway {

namespace {

constexpr char kEscape = 0x1B;
constexpr std::size_t kUnmarkedBytes = 32;  // of UTF-16 without a mark

// Numbers of two bytes are often small: they are no text.
bool is_text_in_ascii(char c) { return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r'); }

const Encoding* guess(std::string_view bytes) {
  const std::unique_ptr<uchardet, decltype(&uchardet_delete)> detector(uchardet_new(), uchardet_delete);
  if (detector == nullptr) throw std::bad_alloc();
  if (uchardet_handle_data(detector.get(), bytes.data(), bytes.size()) != 0) return nullptr;
  uchardet_data_end(detector.get());
  return find_guessed_encoding(uchardet_get_charset(detector.get()));
}

std::optional<Charset> by_mark(std::string_view begin) {
  if (begin.starts_with(kByteOrderMark)) return Charset{&utf8_encoding(), CharsetSource::kMark, 3};
  if (begin.starts_with("\xFE\xFF")) return Charset{find_encoding("utf-16be"), CharsetSource::kMark, 2};
  if (begin.starts_with("\xFF\xFE")) return Charset{find_encoding("utf-16le"), CharsetSource::kMark, 2};
  return std::nullopt;
}

// Encodings that switch by escape sequences are ASCII, too, so a guess decides.
Charset by_guess(std::string_view begin, bool is_valid) {
  const bool may_be_ascii = is_valid && begin.find(kEscape) == std::string_view::npos;
  const Encoding* const guessed = may_be_ascii ? nullptr : guess(begin);
  if (is_valid && (guessed == nullptr || guessed->kind != EncodingKind::kEscapes)) {
    return {&utf8_encoding(), CharsetSource::kValidUtf8};
  }
  if (guessed == nullptr || guessed->kind == EncodingKind::kUtf8) return {&utf8_encoding(), CharsetSource::kNone};
  return {guessed, CharsetSource::kGuess};
}

Charset by_content(std::string_view begin, CharsetBytes bytes, CharsetMarkup markup) {
  const std::size_t open = bytes == CharsetBytes::kAll ? 0 : open_character_bytes(begin);
  const bool is_valid = is_valid_utf8(begin.substr(0, begin.size() - open));
  if (is_valid && skip_ascii(begin, 0) < begin.size()) return {&utf8_encoding(), CharsetSource::kValidUtf8};
  const Encoding* const declared = markup == CharsetMarkup::kHtml ? prescan_encoding(begin) : nullptr;
  if (declared != nullptr) return {declared, CharsetSource::kDeclaration};
  return by_guess(begin, is_valid);
}

}  // namespace

std::string_view charset_source_name(CharsetSource source) {
  constexpr std::string_view kNames[] = {"mark", "nul-bytes", "header", "declaration", "valid-utf-8", "guess", "none"};
  return kNames[static_cast<std::size_t>(source)];
}

const Encoding* unmarked_utf16(std::string_view begin) {
  constexpr std::size_t kFewest = 8;
  const std::size_t count = std::min(begin.size(), kUnmarkedBytes) & ~std::size_t{1};
  if (count < kFewest) return nullptr;
  const bool is_big_endian = begin[0] == '\0';
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_high = (i % 2 == 0) == is_big_endian;
    if (is_high ? begin[i] != '\0' : !is_text_in_ascii(begin[i])) return nullptr;
  }
  return find_encoding(is_big_endian ? "utf-16be" : "utf-16le");
}

std::optional<Charset> detect_charset(std::string_view begin, CharsetBytes bytes, const CharsetHints& hints) {
  const auto has = [&](std::size_t needed) { return bytes == CharsetBytes::kAll || begin.size() >= needed; };
  if (!has(3)) return std::nullopt;
  if (const auto marked = by_mark(begin)) return marked;
  if (!has(kUnmarkedBytes)) return std::nullopt;
  if (const Encoding* const wide = unmarked_utf16(begin)) return Charset{wide, CharsetSource::kNulBytes};
  if (const Encoding* const labelled = find_encoding(hints.label)) return Charset{labelled, CharsetSource::kHeader};
  if (hints.markup == CharsetMarkup::kHtml) {
    if (!has(kPrescanBytes)) return std::nullopt;
    const Encoding* const declared = prescan_encoding(begin.substr(0, kPrescanBytes));
    if (declared != nullptr) return Charset{declared, CharsetSource::kDeclaration};
  }
  if (!has(kDetectBytes)) return std::nullopt;
  const bool is_all = bytes == CharsetBytes::kAll && begin.size() <= kDetectBytes;
  return by_content(begin.substr(0, kDetectBytes), is_all ? CharsetBytes::kAll : CharsetBytes::kSome, hints.markup);
}

}  // namespace spillway
