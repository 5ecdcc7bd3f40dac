// Reads one HTML tag that arrives in pieces, from the first letter of its name to its ">" (WHATWG HTML,
// sections 13.2.5.8 and 13.2.5.32 to 13.2.5.40), in constant memory. Values of attributes that nobody asked for are
// skipped 16 bytes at a time.
#pragma once

#include "corpora/html/handler.hpp"
#include "corpora/html/reference.hpp"

namespace spillway {

class HtmlTagReader {
 public:
  explicit HtmlTagReader(HtmlHandler& handler) : handler_(handler) {}
  enum class Kind : std::uint8_t { kStart, kEnd };
  // Starts a tag before the first letter of its name.
  void start(Kind kind);
  // Starts an end tag whose name was read.
  void start_after_name(std::string_view name);
  // Reads bytes of the tag and returns how many belong to it. Calls the handler, close_tag() excepted.
  std::size_t feed(std::string_view bytes);
  bool done() const { return state_ == State::kDone; }

  // The tag. Requires: done().
  HtmlTag tag() const { return {{name_, name_length_}, kind_ == Kind::kEnd}; }
  HtmlTagEnd end() const { return end_; }

 private:
  enum class State : std::uint8_t {
    kTagName,
    kBeforeName,
    kName,
    kAfterName,
    kBeforeValue,
    kDoubleQuoted,
    kSingleQuoted,
    kUnquoted,
    kAfterQuoted,
    kSelfClosing,
    kDone
  };
  std::size_t step(std::string_view bytes);
  std::size_t read_tag_name(std::string_view bytes);
  std::size_t read_name(std::string_view bytes);
  std::size_t read_quoted(std::string_view bytes, char quote);
  std::size_t read_unquoted(std::string_view bytes);
  std::size_t read_reference(std::string_view bytes);
  void end_name(State next);
  bool between(char byte);
  bool start_name(char byte);
  bool start_value(char byte);
  void append(char byte);
  void open();

  HtmlHandler& handler_;
  HtmlReference reference_;
  State state_ = State::kDone;
  Kind kind_ = Kind::kStart;
  HtmlTagEnd end_ = HtmlTagEnd::kOpen;
  bool is_wanted_ = false;  // whether attributes are reported
  std::size_t name_length_ = 0, attribute_length_ = 0;
  char name_[kLongestHtmlName], attribute_[kLongestHtmlName];
};

}  // namespace spillway
