// Resolves one character reference, such as "&amp;" or "&#x20AC;", that arrives in pieces (WHATWG HTML, sections
// 13.2.5.72 to 13.2.5.80), in constant memory. What proves to be no reference comes out as the characters that it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "corpora/html/entities.hpp"

namespace spillway {

enum class HtmlReferencePlace : std::uint8_t { kText, kAttribute };

class HtmlReference {
 public:
  // Starts a reference, after its "&".
  void start(HtmlReferencePlace place);
  // Reads bytes of the reference and returns how many belong to it. done() says whether it ended.
  std::size_t feed(std::string_view bytes);
  // Ends the text: what was read so far is all.
  void finish();
  bool done() const { return state_ == State::kDone; }
  // What the reference stands for: valid UTF-8, until the next start(). Requires: done().
  std::string_view text() const { return {text_, length_}; }

 private:
  enum class State : std::uint8_t { kStart, kName, kNumber, kHexStart, kHex, kDecimalStart, kDecimal, kDone };
  bool feed_byte(char byte);
  bool feed_name(char byte);
  bool feed_digit(char byte);
  void end_name(char next);
  void end_number();
  void append(std::string_view bytes);
  void append(std::uint32_t character);
  bool give_up();

  HtmlReferencePlace place_ = HtmlReferencePlace::kText;
  State state_ = State::kDone;
  HtmlEntitySearch search_;
  const HtmlEntity* match_ = nullptr;  // the longest name so far that works without its semicolon
  std::uint32_t number_ = 0;
  std::size_t length_ = 0;
  char text_[48];  // until it is done: the reference as it was read
};

}  // namespace spillway
