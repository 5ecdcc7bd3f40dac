// Converts text, which arrives in pieces, from an encoding to UTF-8, in constant memory. What cannot be decoded becomes
// U+FFFD. UTF-8 and ASCII pass with a check by vector instructions; ICU converts the rest.
#pragma once

#include <unicode/ucnv.h>

#include <memory>
#include <string_view>

#include "corpora/charset/encodings.hpp"
#include "corpora/document/utf8.hpp"

namespace spillway {

class CharsetDecoder {
 public:
  CharsetDecoder() = default;
  CharsetDecoder(const CharsetDecoder&) = delete;
  CharsetDecoder& operator=(const CharsetDecoder&) = delete;

  // Starts a text. `out` must live until finish(). Throws std::runtime_error if this ICU lacks the converter.
  void start(const Encoding& encoding, TextOutput& out);
  // The pieces may end anywhere; the result is the same.
  void feed(std::string_view bytes);
  // Ends the text: an incomplete character becomes U+FFFD.
  void finish();
  // Whether anything was replaced by U+FFFD.
  bool repaired() const { return broken_.any || repairer_.repaired(); }

 private:
  static void replace(const void* broken, UConverterToUnicodeArgs* arguments, const char* bytes, std::int32_t length,
                      UConverterCallbackReason reason, UErrorCode* error);
  struct Close {
    void operator()(UConverter* converter) const;
  };
  // What ICU's callback for broken bytes needs.
  struct Broken {
    bool any = false;
    bool has_euro = false;  // the byte 0x80 is a Euro sign
  };
  enum class Flush : bool { kNo, kYes };
  void open_converter();
  void feed_utf8(std::string_view bytes);
  void feed_with_ascii(std::string_view bytes);
  void convert(std::string_view bytes, Flush flush);
  void append_utf16(const char16_t* begin, const char16_t* end);
  void append_table(std::string_view bytes);
  bool between_characters() const;

  const Encoding* encoding_ = nullptr;
  TextOutput* out_ = nullptr;
  Utf8Repairer repairer_;
  bool is_open_ = false;  // whether a piece of UTF-8 ended inside of a character
  bool any_ = false;      // whether there were bytes
  Broken broken_;
  char16_t high_surrogate_ = 0;   // before the next unit
  const char* opened_ = nullptr;  // the name of converter_
  bool swaps_controls_ = false;   // the converter does
  std::unique_ptr<UConverter, Close> converter_;
};

}  // namespace spillway
