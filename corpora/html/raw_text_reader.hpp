// Reads the content of elements whose text is not markup and arrives in pieces: textarea and title (references are
// resolved), style and the like, and script with its escapes (WHATWG HTML, sections 13.2.5.2 to 13.2.5.5 and 13.2.5.9
// to 13.2.5.31), in constant memory. It ends after the name of the end tag.
#pragma once

#include "corpora/html/handler.hpp"
#include "corpora/html/reference.hpp"

namespace spillway {

class HtmlRawTextReader {
 public:
  explicit HtmlRawTextReader(HtmlHandler& handler) : handler_(handler) {}
  // Starts after a start tag. Requires: a content other than kData.
  void start(HtmlContent content, std::string_view name);
  // Reads bytes and returns how many belong to the content and the name of its end tag.
  std::size_t feed(std::string_view bytes);
  // Ends the document.
  void finish();
  bool done() const { return state_ == State::kDone; }
  std::string_view name() const { return {name_, name_length_}; }

 private:
  enum class State : std::uint8_t {
    kText,
    kLess,         // after "<"
    kEndTagName,   // after "</"
    kEscapeStart,  // after "<!" in a script
    kMarkerName,   // in a script's "<!-- -->", after "<" or "</": a name that may be "script"
    kDone
  };
  // In a script: outside of "<!-- -->", inside, or also inside of "<script>" in that.
  enum class Escape : std::uint8_t { kNone, kOnce, kTwice };
  std::size_t step(std::string_view bytes);
  std::size_t read_text(std::string_view bytes);
  std::size_t read_reference(std::string_view bytes);
  void feed_special(char byte);
  bool feed_less(char byte);
  bool feed_end_tag_name(char byte);
  bool feed_escape_start(char byte);
  bool feed_marker_name(char byte);
  void start_marker_name(Escape next);
  void emit_less(std::string_view rest);

  HtmlHandler& handler_;
  HtmlReference reference_;
  HtmlContent content_ = HtmlContent::kRawText;
  State state_ = State::kDone;
  Escape escape_ = Escape::kNone;
  Escape marked_ = Escape::kNone;  // the escape after a name "script"
  unsigned dashes_ = 0;            // in an escape: "-" just before the next byte, at most 2
  std::size_t name_length_ = 0;    // of the element
  std::size_t read_length_ = 0;    // of what may be the name of its end tag, or "script"
  char name_[kLongestHtmlName], read_[kLongestHtmlName];
};

}  // namespace spillway
