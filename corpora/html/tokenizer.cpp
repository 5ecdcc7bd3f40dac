#include "corpora/html/tokenizer.hpp"

#include "corpora/html/byte_search.hpp"

namespace spillway {

void HtmlTokenizer::start() { state_ = State::kData; }

void HtmlTokenizer::start_inside(HtmlContent content, std::string_view name) {
  state_ = content == HtmlContent::kData ? State::kData : State::kRawText;
  raw_text_.start(content, name);
}

void HtmlTokenizer::feed(std::string_view piece) {
  while (!piece.empty()) piece.remove_prefix(feed_token(piece));
}

std::size_t HtmlTokenizer::feed_token(std::string_view piece) {
  std::size_t at = 0;
  do {
    const std::string_view rest = piece.substr(at);
    switch (state_) {
      case State::kData:
        at += read_data(rest);
        break;
      case State::kReference:
        at += read_reference(rest);
        break;
      case State::kTagOpen:
        at += feed_tag_open(rest.front()) ? 1 : 0;
        break;
      case State::kEndTagOpen:
        at += feed_end_tag_open(rest.front()) ? 1 : 0;
        break;
      case State::kTag:
        at += read_tag(rest);
        break;
      case State::kMarkup:
        at += read_markup(rest);
        break;
      case State::kRawText:
        at += read_raw_text(rest);
        break;
    }
  } while (at < piece.size() && (at == 0 || state_ != State::kData));
  return at;
}

std::size_t HtmlTokenizer::read_data(std::string_view piece) {
  const std::size_t plain = find_any(piece, '<', '&', '<');
  if (plain > 0) {
    handler_.characters(piece.substr(0, plain));
    return plain;
  }
  if (piece.front() == '<') {
    state_ = State::kTagOpen;
  } else {
    state_ = State::kReference;
    reference_.start(HtmlReferencePlace::kText);
  }
  return 1;
}

std::size_t HtmlTokenizer::read_reference(std::string_view piece) {
  const std::size_t used = reference_.feed(piece);
  if (reference_.done()) {
    handler_.characters(reference_.text());
    state_ = State::kData;
  }
  return used;
}

// Returns false if the next state is to read the byte again.
bool HtmlTokenizer::feed_tag_open(char byte) {
  if (is_html_letter(byte)) {
    tag_.start(HtmlTagReader::Kind::kStart);
    state_ = State::kTag;
    return false;
  }
  if (byte == '/') {
    state_ = State::kEndTagOpen;
  } else if (byte == '!') {
    markup_.start_declaration();
    state_ = State::kMarkup;
  } else if (byte == '?') {
    markup_.start_bogus_comment();
    state_ = State::kMarkup;
  } else {
    handler_.characters("<");
    state_ = State::kData;
    return false;
  }
  return true;
}

bool HtmlTokenizer::feed_end_tag_open(char byte) {
  if (byte == '>') {  // "</>" is nothing
    state_ = State::kData;
    return true;
  }
  if (is_html_letter(byte)) {
    tag_.start(HtmlTagReader::Kind::kEnd);
    state_ = State::kTag;
  } else {
    markup_.start_bogus_comment();
    state_ = State::kMarkup;
  }
  return false;
}

std::size_t HtmlTokenizer::read_tag(std::string_view piece) {
  const std::size_t used = tag_.feed(piece);
  if (!tag_.done()) return used;
  state_ = State::kData;
  const HtmlContent content = handler_.close_tag(tag_.end());
  if (content != HtmlContent::kData) start_inside(content, tag_.tag().name);
  return used;
}

std::size_t HtmlTokenizer::read_markup(std::string_view piece) {
  const std::size_t used = markup_.feed(piece);
  if (markup_.done()) state_ = State::kData;
  return used;
}

std::size_t HtmlTokenizer::read_raw_text(std::string_view piece) {
  const std::size_t used = raw_text_.feed(piece);
  if (raw_text_.done()) {
    tag_.start_after_name(raw_text_.name());
    state_ = State::kTag;
  }
  return used;
}

void HtmlTokenizer::finish() {
  if (state_ == State::kReference) {
    reference_.finish();
    handler_.characters(reference_.text());
  } else if (state_ == State::kTagOpen || state_ == State::kEndTagOpen) {
    handler_.characters(state_ == State::kTagOpen ? "<" : "</");
  } else if (state_ == State::kMarkup) {
    markup_.finish();
  } else if (state_ == State::kRawText) {
    raw_text_.finish();
  }
  state_ = State::kData;
}

}  // namespace spillway
