#include "corpora/html/markup_reader.hpp"

#include <algorithm>

#include "corpora/html/byte_search.hpp"

namespace spillway {

namespace {

constexpr std::string_view kCdata = "[CDATA[";

// Whether `lower_word` begins with `begin` in upper or lower case.
bool begins_with_any_case(std::string_view lower_word, std::string_view begin) {
  return begin.size() <= lower_word.size() &&
         std::equal(begin.begin(), begin.end(), lower_word.begin(), [](char a, char b) { return html_lower(a) == b; });
}

}  // namespace

void HtmlMarkupReader::start_declaration() {
  state_ = State::kOpen;
  opened_ = 0;
  brackets_ = 0;
}

std::size_t HtmlMarkupReader::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && !done()) at += step(bytes.substr(at));
  return at;
}

std::size_t HtmlMarkupReader::step(std::string_view bytes) {
  if (state_ == State::kOpen) return feed_open(bytes.front()) ? 1 : 0;
  if (state_ == State::kCdata) return read_cdata(bytes);
  if (state_ == State::kBogus || state_ == State::kDoctype) {
    const std::size_t end = find_byte(bytes, '>');
    if (end == bytes.size()) return end;
    finish();
    return end + 1;
  }
  const std::size_t skipped = state_ == State::kComment ? find_byte(bytes, '-') : 0;
  if (skipped == bytes.size()) return skipped;
  return feed_comment(bytes[skipped]) ? skipped + 1 : skipped;
}

// Returns false if the next state is to read the byte again.
bool HtmlMarkupReader::feed_open(char byte) {
  open_[opened_++] = byte;
  const std::string_view open(open_, opened_);
  if (open == "--") {
    state_ = State::kCommentStart;
  } else if (begins_with_any_case("doctype", open)) {
    if (opened_ == 7) state_ = State::kDoctype;
  } else if (handler_.in_foreign_content() && kCdata.starts_with(open)) {
    if (open == kCdata) state_ = State::kCdata;
  } else if (open != "-") {
    state_ = State::kBogus;
    return false;
  }
  return true;
}

bool HtmlMarkupReader::feed_comment(char byte) {
  using enum State;
  const bool is_start = state_ == kCommentStart || state_ == kCommentStartDash;
  const bool may_end = is_start || state_ == kCommentEnd || state_ == kCommentEndBang;
  if (byte == '>' && may_end) {
    end_comment();
  } else if (byte == '!' && state_ == kCommentEnd) {
    state_ = kCommentEndBang;
  } else if (byte != '-') {
    const bool was_comment = state_ == kComment;
    state_ = kComment;
    return was_comment;
  } else if (state_ == kCommentStart) {
    state_ = kCommentStartDash;
  } else if (state_ == kComment || state_ == kCommentEndBang) {
    state_ = kCommentEndDash;
  } else {
    state_ = kCommentEnd;
  }
  return true;
}

std::size_t HtmlMarkupReader::read_cdata(std::string_view bytes) {
  if (bytes.front() == ']') {
    if (brackets_ == 2) handler_.characters("]");
    if (brackets_ < 2) ++brackets_;
    return 1;
  }
  if (bytes.front() == '>' && brackets_ == 2) {
    state_ = State::kDone;
    return 1;
  }
  if (brackets_ > 0) handler_.characters(std::string_view("]]").substr(0, brackets_));
  brackets_ = 0;
  const std::size_t plain = find_byte(bytes, ']');
  handler_.characters(bytes.substr(0, plain));
  return plain;
}

void HtmlMarkupReader::end_comment() {
  handler_.comment();
  state_ = State::kDone;
}

void HtmlMarkupReader::finish() {
  if (state_ == State::kDoctype) {
    handler_.doctype();
  } else if (state_ == State::kCdata) {
    if (brackets_ > 0) handler_.characters(std::string_view("]]").substr(0, brackets_));
  } else if (state_ != State::kDone) {
    handler_.comment();
  }
  state_ = State::kDone;
}

}  // namespace spillway
