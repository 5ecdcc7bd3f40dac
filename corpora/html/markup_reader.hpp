// Reads what is neither text nor a tag and arrives in pieces: comments, declarations, processing instructions and CDATA
// sections (WHATWG HTML, sections 13.2.5.41 to 13.2.5.71), in constant memory. A document type ends at its first ">",
// as a bogus comment does.
#pragma once

#include "corpora/html/handler.hpp"

namespace spillway {

class HtmlMarkupReader {
 public:
  explicit HtmlMarkupReader(HtmlHandler& handler) : handler_(handler) {}
  // Starts after "<!".
  void start_declaration();
  // Starts a comment that ends at the first ">".
  void start_bogus_comment() { state_ = State::kBogus; }
  // Reads bytes and returns how many belong to the markup.
  std::size_t feed(std::string_view bytes);
  // Ends the document.
  void finish();
  bool done() const { return state_ == State::kDone; }

 private:
  enum class State : std::uint8_t {
    kOpen,  // between "<!" and what tells the kind
    kCommentStart,
    kCommentStartDash,
    kComment,
    kCommentEndDash,
    kCommentEnd,
    kCommentEndBang,
    kBogus,
    kDoctype,
    kCdata,
    kDone
  };
  std::size_t step(std::string_view bytes);
  bool feed_open(char byte);
  bool feed_comment(char byte);
  std::size_t read_cdata(std::string_view bytes);
  void end_comment();

  HtmlHandler& handler_;
  State state_ = State::kDone;
  std::size_t opened_ = 0;    // bytes in open_
  std::size_t brackets_ = 0;  // in a CDATA section: "]" just before the next byte, at most 2
  char open_[8];
};

}  // namespace spillway
