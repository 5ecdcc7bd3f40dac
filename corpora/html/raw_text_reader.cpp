#include "corpora/html/raw_text_reader.hpp"

#include <algorithm>

#include "corpora/document/utf8.hpp"
#include "corpora/html/byte_search.hpp"

namespace spillway {

namespace {

constexpr std::string_view kScript = "script";
bool ends_name(char c) { return is_html_space(c) || c == '/' || c == '>'; }

}  // namespace

void HtmlRawTextReader::start(HtmlContent content, std::string_view name) {
  content_ = content;
  state_ = State::kText;
  escape_ = Escape::kNone;
  dashes_ = 0;
  name_length_ = name.copy(name_, kLongestHtmlName);
}

std::size_t HtmlRawTextReader::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && !done()) at += step(bytes.substr(at));
  return at;
}

std::size_t HtmlRawTextReader::step(std::string_view bytes) {
  if (!reference_.done()) return read_reference(bytes);
  switch (state_) {
    case State::kText:
      return read_text(bytes);
    case State::kLess:
      return feed_less(bytes.front()) ? 1 : 0;
    case State::kEndTagName:
      return feed_end_tag_name(bytes.front()) ? 1 : 0;
    case State::kEscapeStart:
      return feed_escape_start(bytes.front()) ? 1 : 0;
    default:
      return feed_marker_name(bytes.front()) ? 1 : 0;
  }
}

std::size_t HtmlRawTextReader::read_text(std::string_view bytes) {
  const char less = content_ == HtmlContent::kPlainText ? '\0' : '<';
  const char other = content_ == HtmlContent::kRcdata ? '&' : escape_ == Escape::kNone ? '\0' : '-';
  const bool may_leave_escape = dashes_ == 2 && bytes.front() == '>';
  const std::size_t plain = may_leave_escape ? 0 : find_any(bytes, less, other, '\0');
  if (plain > 0) {
    handler_.characters(bytes.substr(0, plain));
    dashes_ = 0;
  }
  if (plain == bytes.size()) return plain;
  feed_special(bytes[plain]);
  return plain + 1;
}

// Reads a byte of text that is more than a character.
void HtmlRawTextReader::feed_special(char byte) {
  if (byte == '-') {
    handler_.characters("-");
    dashes_ = std::min(dashes_ + 1, 2u);
    return;
  }
  dashes_ = 0;
  if (byte == '<') {
    state_ = State::kLess;
  } else if (byte == '&') {
    reference_.start(HtmlReferencePlace::kText);
  } else if (byte == '>') {
    handler_.characters(">");
    escape_ = Escape::kNone;
  } else {
    handler_.characters(kReplacementCharacter);
  }
}

// The feed_...(byte) below return false if the next state is to read the byte again.
bool HtmlRawTextReader::feed_less(char byte) {
  if (byte == '/' && escape_ != Escape::kTwice) {
    state_ = State::kEndTagName;
    read_length_ = 0;
    return true;
  }
  if (content_ == HtmlContent::kScript && byte == '!' && escape_ == Escape::kNone) {
    emit_less("!");
    state_ = State::kEscapeStart;
    return true;
  }
  state_ = State::kText;
  if (escape_ == Escape::kTwice && byte == '/') {
    emit_less("/");
    start_marker_name(Escape::kOnce);
    return true;
  }
  emit_less("");
  if (escape_ == Escape::kOnce && is_html_letter(byte)) start_marker_name(Escape::kTwice);
  return false;
}

void HtmlRawTextReader::start_marker_name(Escape next) {
  state_ = State::kMarkerName;
  marked_ = next;
  read_length_ = 0;
}

bool HtmlRawTextReader::feed_end_tag_name(char byte) {
  const std::string_view expected = name();
  if (read_length_ < expected.size() && html_lower(byte) == expected[read_length_] && is_html_letter(byte)) {
    read_[read_length_++] = byte;
    return true;
  }
  if (read_length_ == expected.size() && !expected.empty() && ends_name(byte)) {
    state_ = State::kDone;
    return false;
  }
  state_ = State::kText;
  emit_less("/");
  handler_.characters({read_, read_length_});
  return false;
}

bool HtmlRawTextReader::feed_escape_start(char byte) {
  if (byte != '-') {
    state_ = State::kText;
    dashes_ = 0;
    return false;
  }
  handler_.characters("-");
  if (++dashes_ == 2) {
    state_ = State::kText;
    escape_ = Escape::kOnce;
  }
  return true;
}

bool HtmlRawTextReader::feed_marker_name(char byte) {
  if (is_html_letter(byte)) {
    if (read_length_ <= kScript.size()) read_[read_length_++] = html_lower(byte);
    handler_.characters({&byte, 1});
    return true;
  }
  state_ = State::kText;
  if (!ends_name(byte)) return false;
  if (std::string_view(read_, read_length_) == kScript) escape_ = marked_;
  handler_.characters({&byte, 1});
  return true;
}

// Emits a "<" that starts no tag.
void HtmlRawTextReader::emit_less(std::string_view rest) {
  handler_.characters("<");
  if (!rest.empty()) handler_.characters(rest);
}

std::size_t HtmlRawTextReader::read_reference(std::string_view bytes) {
  const std::size_t used = reference_.feed(bytes);
  if (reference_.done()) handler_.characters(reference_.text());
  return used;
}

void HtmlRawTextReader::finish() {
  if (!reference_.done()) {
    reference_.finish();
    handler_.characters(reference_.text());
  } else if (state_ == State::kLess) {
    emit_less("");
  } else if (state_ == State::kEndTagName) {
    emit_less("/");
    handler_.characters({read_, read_length_});
  }
  state_ = State::kDone;
}

}  // namespace spillway
