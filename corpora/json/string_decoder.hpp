// Unescapes and repairs a JSON string fragment by fragment, in constant memory: broken UTF-8 and lone surrogates become
// U+FFFD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "corpora/document/utf8.hpp"

namespace spillway {

class JsonStringDecoder {
 public:
  enum class Status : std::uint8_t { kOpen, kClosed, kControlCharacter, kBadEscape };

  // Starts after an opening quote.
  void reset();
  // Reads up to and including the closing quote, or up to a wrong byte. Returns the number of bytes read.
  std::size_t feed(std::string_view bytes, TextOutput& out);
  Status status() const { return status_; }
  // Ends a string whose closing quote is not fed.
  void finish(TextOutput& out);
  bool repaired() const { return repaired_ || repairer_.repaired(); }

 private:
  enum class State : std::uint8_t { kPlain, kEscape, kHex };
  std::size_t feed_plain(std::string_view bytes, TextOutput& out);
  void feed_escape(char letter, TextOutput& out);
  void feed_hex(char digit, TextOutput& out);
  void end_character(unsigned unit, TextOutput& out);
  void drop_high_surrogate(TextOutput& out);
  void put(unsigned character, TextOutput& out);

  Utf8Repairer repairer_;
  State state_ = State::kPlain;
  Status status_ = Status::kOpen;
  std::uint8_t digits_ = 0;
  unsigned unit_ = 0;            // value of the escape so far
  unsigned high_surrogate_ = 0;  // waits for the low surrogate; 0: none
  bool repaired_ = false;
};

}  // namespace spillway
