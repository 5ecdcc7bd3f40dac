#include "corpora/charset/decoder.hpp"

#include <unicode/ucnv_cb.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace spillway {

namespace {

constexpr std::size_t kChunkBytes = 256;  // for ICU, between two looks for ASCII
constexpr char16_t kReplacementUnit = 0xFFFD;

// iso-8859-16 from 0xA0 on.
constexpr std::array<char16_t, 96> kLatin10{
    0xA0,  0x104, 0x105, 0x141, 0x20AC, 0x201E, 0x160, 0xA7,  0x161, 0xA9,  0x218, 0xAB, 0x179, 0xAD,  0x17A, 0x17B,
    0xB0,  0xB1,  0x10C, 0x142, 0x17D,  0x201D, 0xB6,  0xB7,  0x17E, 0x10D, 0x219, 0xBB, 0x152, 0x153, 0x178, 0x17C,
    0xC0,  0xC1,  0xC2,  0x102, 0xC4,   0x106,  0xC6,  0xC7,  0xC8,  0xC9,  0xCA,  0xCB, 0xCC,  0xCD,  0xCE,  0xCF,
    0x110, 0x143, 0xD2,  0xD3,  0xD4,   0x150,  0xD6,  0x15A, 0x170, 0xD9,  0xDA,  0xDB, 0xDC,  0x118, 0x21A, 0xDF,
    0xE0,  0xE1,  0xE2,  0x103, 0xE4,   0x107,  0xE6,  0xE7,  0xE8,  0xE9,  0xEA,  0xEB, 0xEC,  0xED,  0xEE,  0xEF,
    0x111, 0x144, 0xF2,  0xF3,  0xF4,   0x151,  0xF6,  0x15B, 0x171, 0xF9,  0xFA,  0xFB, 0xFC,  0x119, 0x21B, 0xFF};

bool is_high(char16_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(char16_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

[[noreturn]] void throw_icu(const char* converter, UErrorCode error) {
  throw std::runtime_error("ICU cannot convert from " + std::string(converter) + ": " + u_errorName(error) +
                           "; install ICU with its full data");
}

char16_t table_character(EncodingKind kind, std::uint8_t byte) {
  if (kind == EncodingKind::kUserDefined) return static_cast<char16_t>(0xF700 + byte);
  return byte < 0xA0 ? byte : kLatin10[byte - 0xA0u];
}

// Some of ICU's converters follow IBM's tables, where the controls 1A, 1C and 7F change places.
bool has_swapped_controls(UConverter* converter) {
  char16_t unit = 0;
  UErrorCode error = U_ZERO_ERROR;
  ucnv_toUChars(converter, &unit, 1, "\x1A", 1, &error);
  return unit == 0x1C;
}

char16_t swapped_back(char16_t unit) {
  return unit == 0x1C ? u'\x1A' : unit == 0x7F ? u'\x1C' : unit == 0x1A ? u'\x7F' : unit;
}

}  // namespace

// ICU calls this for what it cannot decode; `broken` is a Broken. As on the web, a byte of ASCII that followed the
// first of a character is kept.
void CharsetDecoder::replace(const void* broken, UConverterToUnicodeArgs* arguments, const char* bytes,
                             std::int32_t length, UConverterCallbackReason reason, UErrorCode* error) {
  if (reason > UCNV_IRREGULAR) return;  // the converter is reset or closed
  *error = U_ZERO_ERROR;
  auto& noted = *static_cast<Broken*>(const_cast<void*>(broken));
  if (noted.has_euro && length == 1 && bytes[0] == '\x80') {
    ucnv_cbToUWriteUChars(arguments, u"\u20AC", 1, 0, error);
    return;
  }
  noted.any = true;
  const bool keeps_last = reason == UCNV_UNASSIGNED && length == 2 && static_cast<std::uint8_t>(bytes[1]) < 0x80;
  const char16_t units[] = {kReplacementUnit, keeps_last ? static_cast<char16_t>(bytes[1]) : char16_t{0}};
  ucnv_cbToUWriteUChars(arguments, units, keeps_last ? 2 : 1, 0, error);
}

void CharsetDecoder::Close::operator()(UConverter* converter) const { ucnv_close(converter); }

void CharsetDecoder::start(const Encoding& encoding, TextOutput& out) {
  encoding_ = &encoding;
  out_ = &out;
  repairer_.reset();
  is_open_ = any_ = false;
  broken_ = {};
  high_surrogate_ = 0;
  if (encoding.converter == nullptr) return;
  open_converter();
  broken_.has_euro = encoding.converter == std::string_view("gb18030");
}

void CharsetDecoder::open_converter() {
  if (opened_ == encoding_->converter) {
    ucnv_resetToUnicode(converter_.get());
    return;
  }
  UErrorCode error = U_ZERO_ERROR;
  converter_.reset(ucnv_open(encoding_->converter, &error));
  opened_ = nullptr;
  if (U_FAILURE(error)) throw_icu(encoding_->converter, error);
  ucnv_setToUCallBack(converter_.get(), replace, &broken_, nullptr, nullptr, &error);
  if (U_FAILURE(error)) throw_icu(encoding_->converter, error);
  swaps_controls_ = encoding_->kind == EncodingKind::kAsciiSuperset && has_swapped_controls(converter_.get());
  opened_ = encoding_->converter;
}

void CharsetDecoder::feed(std::string_view bytes) {
  if (bytes.empty()) return;
  switch (encoding_->kind) {
    case EncodingKind::kUtf8:
      feed_utf8(bytes);
      break;
    case EncodingKind::kEscapes:
    case EncodingKind::kUtf16:
      convert(bytes, Flush::kNo);
      break;
    case EncodingKind::kReplacement:
      if (!any_) out_->append(kReplacementCharacter);
      broken_.any = true;
      break;
    default:
      feed_with_ascii(bytes);
  }
  any_ = true;
}

void CharsetDecoder::feed_utf8(std::string_view bytes) {
  if (is_open_) {
    std::size_t rest = 0;
    while (rest < std::min<std::size_t>(3, bytes.size()) && (bytes[rest] & 0xC0) == 0x80) ++rest;
    repairer_.feed(bytes.substr(0, rest), *out_);
    bytes.remove_prefix(rest);
    if (bytes.empty()) return;
    repairer_.finish(*out_);
  }
  const std::size_t open = open_character_bytes(bytes);
  const std::string_view whole = bytes.substr(0, bytes.size() - open);
  if (is_valid_utf8(whole)) {
    if (!whole.empty()) out_->append(whole);
  } else {
    repairer_.feed(whole, *out_);
    repairer_.finish(*out_);
  }
  repairer_.feed(bytes.substr(whole.size()), *out_);
  is_open_ = open > 0;
}

// ASCII passes as it is where a character starts.
void CharsetDecoder::feed_with_ascii(std::string_view bytes) {
  while (!bytes.empty()) {
    if (between_characters()) {
      const std::size_t ascii = skip_ascii(bytes, 0);
      if (ascii > 0) out_->append(bytes.substr(0, ascii));
      bytes.remove_prefix(ascii);
    }
    const std::string_view chunk = bytes.substr(0, kChunkBytes);
    if (encoding_->converter != nullptr) {
      convert(chunk, Flush::kNo);
    } else {
      append_table(chunk);
    }
    bytes.remove_prefix(chunk.size());
  }
}

bool CharsetDecoder::between_characters() const {
  if (encoding_->converter == nullptr) return true;
  UErrorCode error = U_ZERO_ERROR;
  return high_surrogate_ == 0 && ucnv_toUCountPending(converter_.get(), &error) == 0;
}

void CharsetDecoder::convert(std::string_view bytes, Flush flush) {
  std::array<char16_t, 1024> units;
  const char* source = bytes.data();
  UErrorCode error = U_BUFFER_OVERFLOW_ERROR;
  while (error == U_BUFFER_OVERFLOW_ERROR) {
    error = U_ZERO_ERROR;
    char16_t* end = units.data();
    ucnv_toUnicode(converter_.get(), &end, units.data() + units.size(), &source, bytes.data() + bytes.size(), nullptr,
                   flush == Flush::kYes, &error);
    append_utf16(units.data(), end);
  }
  if (U_FAILURE(error)) throw_icu(encoding_->converter, error);
}

void CharsetDecoder::append_utf16(const char16_t* begin, const char16_t* end) {
  std::array<char, 4 * 1024 + 8> utf8;
  char* to = utf8.data();
  for (; begin < end; ++begin) {
    unsigned character = swaps_controls_ ? swapped_back(*begin) : *begin;
    if (is_low(*begin) && high_surrogate_ != 0) {
      character = 0x10000 + ((high_surrogate_ - 0xD800u) << 10) + (*begin - 0xDC00u);
    } else if (high_surrogate_ != 0 || is_low(*begin)) {
      to = write_utf8(kReplacementUnit, to);
      broken_.any = true;
      if (is_low(*begin)) continue;
    }
    high_surrogate_ = is_high(*begin) ? *begin : char16_t{0};
    if (high_surrogate_ == 0) to = write_utf8(character, to);
  }
  if (to > utf8.data()) out_->append({utf8.data(), static_cast<std::size_t>(to - utf8.data())});
}

void CharsetDecoder::append_table(std::string_view bytes) {
  std::array<char, 3 * kChunkBytes> utf8;
  char* to = utf8.data();
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    to = write_utf8(byte < 0x80 ? byte : table_character(encoding_->kind, byte), to);
  }
  if (to > utf8.data()) out_->append({utf8.data(), static_cast<std::size_t>(to - utf8.data())});
}

void CharsetDecoder::finish() {
  if (encoding_->kind == EncodingKind::kUtf8) {
    repairer_.finish(*out_);
  } else if (encoding_->converter != nullptr) {
    convert({}, Flush::kYes);
    if (high_surrogate_ != 0) {
      out_->append(kReplacementCharacter);
      broken_.any = true;
    }
  }
}

}  // namespace spillway
