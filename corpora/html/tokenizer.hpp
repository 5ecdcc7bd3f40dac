// Splits an HTML document, which arrives in pieces of valid UTF-8, into text and tags as the WHATWG's tokenizer does
// (section 13.2.5), without a tree: constant memory, time O(bytes), the same calls however the pieces are cut (text and
// values may be cut elsewhere). The handler stands for the tree: it says which content follows a start tag.
#pragma once

#include "corpora/html/markup_reader.hpp"
#include "corpora/html/raw_text_reader.hpp"
#include "corpora/html/tag_reader.hpp"

namespace spillway {

class HtmlTokenizer {
 public:
  explicit HtmlTokenizer(HtmlHandler& handler)
      : handler_(handler), tag_(handler), markup_(handler), raw_text_(handler) {}

  // Starts a document.
  void start();
  // Starts inside of an element `name` with this content.
  void start_inside(HtmlContent content, std::string_view name);
  // Reads all bytes.
  void feed(std::string_view piece);
  // Reads at least one byte and at most up to the end of a token, and returns how many. Requires: a piece with bytes.
  std::size_t feed_token(std::string_view piece);
  // Ends the document.
  void finish();
  // Whether the next byte starts a token in ordinary content.
  bool between_tokens() const { return state_ == State::kData; }

 private:
  enum class State : std::uint8_t { kData, kReference, kTagOpen, kEndTagOpen, kTag, kMarkup, kRawText };
  std::size_t read_data(std::string_view piece);
  std::size_t read_reference(std::string_view piece);
  bool feed_tag_open(char byte);
  bool feed_end_tag_open(char byte);
  std::size_t read_tag(std::string_view piece);
  std::size_t read_markup(std::string_view piece);
  std::size_t read_raw_text(std::string_view piece);

  HtmlHandler& handler_;
  State state_ = State::kData;
  HtmlReference reference_;
  HtmlTagReader tag_;
  HtmlMarkupReader markup_;
  HtmlRawTextReader raw_text_;
};

}  // namespace spillway
