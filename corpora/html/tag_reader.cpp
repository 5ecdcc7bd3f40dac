#include "corpora/html/tag_reader.hpp"

#include <cstring>

#include "corpora/document/utf8.hpp"
#include "corpora/html/byte_search.hpp"

namespace spillway {

namespace {

bool ends_tag_name(char c) { return is_html_space(c) || c == '/' || c == '>'; }

// Appends a byte of a name in lower case, unless the name is cut already.
void append_name(char* name, std::size_t& length, char byte) {
  if (byte == '\0') {
    if (length + kReplacementCharacter.size() > kLongestHtmlName) return;
    std::memcpy(name + length, kReplacementCharacter.data(), kReplacementCharacter.size());
    length += kReplacementCharacter.size();
  } else if (length < kLongestHtmlName) {
    name[length++] = html_lower(byte);
  }
}

}  // namespace

void HtmlTagReader::start(Kind kind) {
  state_ = State::kTagName;
  kind_ = kind;
  end_ = HtmlTagEnd::kOpen;
  name_length_ = 0;
}

void HtmlTagReader::start_after_name(std::string_view name) {
  start(Kind::kEnd);
  name_length_ = name.copy(name_, kLongestHtmlName);
  open();
}

void HtmlTagReader::open() {
  is_wanted_ = handler_.open_tag(tag());
  state_ = State::kBeforeName;
}

std::size_t HtmlTagReader::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && !done()) at += step(bytes.substr(at));
  return at;
}

std::size_t HtmlTagReader::step(std::string_view bytes) {
  if (!reference_.done()) return read_reference(bytes);
  switch (state_) {
    case State::kTagName:
      return read_tag_name(bytes);
    case State::kName:
      return read_name(bytes);
    case State::kDoubleQuoted:
      return read_quoted(bytes, '"');
    case State::kSingleQuoted:
      return read_quoted(bytes, '\'');
    case State::kUnquoted:
      return read_unquoted(bytes);
    default:
      return between(bytes.front()) ? 1 : 0;
  }
}

std::size_t HtmlTagReader::read_tag_name(std::string_view bytes) {
  std::size_t at = 0;
  for (; at < bytes.size() && !ends_tag_name(bytes[at]); ++at) append_name(name_, name_length_, bytes[at]);
  if (at < bytes.size()) open();
  return at;
}

// Reads a byte that is part of no name or value. Returns false if the next state is to read it again.
bool HtmlTagReader::between(char byte) {
  if (state_ == State::kBeforeValue) return start_value(byte);
  if (byte == '>') {
    if (state_ == State::kSelfClosing) end_ = HtmlTagEnd::kSelfClosing;
    state_ = State::kDone;
  } else if (state_ == State::kSelfClosing) {
    state_ = State::kBeforeName;
    return false;
  } else if (is_html_space(byte)) {
    if (state_ == State::kAfterQuoted) state_ = State::kBeforeName;
  } else if (byte == '/') {
    state_ = State::kSelfClosing;
  } else if (byte == '=' && state_ == State::kAfterName) {
    state_ = State::kBeforeValue;
  } else {
    return start_name(byte);
  }
  return true;
}

bool HtmlTagReader::start_name(char byte) {
  attribute_length_ = 0;
  state_ = State::kName;
  append_name(attribute_, attribute_length_, byte);  // even "="
  return true;
}

std::size_t HtmlTagReader::read_name(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] == '=' || ends_tag_name(bytes[at])) {
      end_name(bytes[at] == '=' ? State::kBeforeValue : State::kAfterName);
      return bytes[at] == '=' ? at + 1 : at;
    }
    append_name(attribute_, attribute_length_, bytes[at]);
  }
  return bytes.size();
}

void HtmlTagReader::end_name(State next) {
  if (is_wanted_) handler_.attribute({attribute_, attribute_length_});
  state_ = next;
}

bool HtmlTagReader::start_value(char byte) {
  if (is_html_space(byte)) return true;
  if (byte == '>') {
    state_ = State::kDone;
  } else if (byte == '"') {
    state_ = State::kDoubleQuoted;
  } else if (byte == '\'') {
    state_ = State::kSingleQuoted;
  } else {
    state_ = State::kUnquoted;
    return false;
  }
  return true;
}

std::size_t HtmlTagReader::read_quoted(std::string_view bytes, char quote) {
  const std::size_t plain = is_wanted_ ? find_any(bytes, quote, '&', '\0') : find_byte(bytes, quote);
  if (is_wanted_ && plain > 0) handler_.attribute_value(bytes.substr(0, plain));
  if (plain == bytes.size()) return plain;
  if (bytes[plain] == quote) {
    state_ = State::kAfterQuoted;
  } else {
    append(bytes[plain]);
  }
  return plain + 1;
}

std::size_t HtmlTagReader::read_unquoted(std::string_view bytes) {
  std::size_t plain = 0;
  while (plain < bytes.size() && !is_html_space(bytes[plain]) && bytes[plain] != '>' &&
         !(is_wanted_ && (bytes[plain] == '&' || bytes[plain] == '\0'))) {
    ++plain;
  }
  if (is_wanted_ && plain > 0) handler_.attribute_value(bytes.substr(0, plain));
  if (plain == bytes.size()) return plain;
  if (bytes[plain] == '>') {
    state_ = State::kDone;
  } else if (is_html_space(bytes[plain])) {
    state_ = State::kBeforeName;
  } else {
    append(bytes[plain]);
  }
  return plain + 1;
}

// Reads a byte of a value that is not plain.
void HtmlTagReader::append(char byte) {
  if (byte == '&') {
    reference_.start(HtmlReferencePlace::kAttribute);
  } else {
    handler_.attribute_value(kReplacementCharacter);
  }
}

std::size_t HtmlTagReader::read_reference(std::string_view bytes) {
  const std::size_t used = reference_.feed(bytes);
  if (reference_.done()) handler_.attribute_value(reference_.text());
  return used;
}

}  // namespace spillway
