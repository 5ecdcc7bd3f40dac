#include "corpora/sgml/scanner.hpp"

#include <algorithm>

namespace spillway {

namespace {

constexpr std::size_t kLongestMarkup = 4096;

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

}  // namespace

bool SgmlScanner::is_name_byte(char byte) {
  return is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.' || byte == ':';
}

void SgmlScanner::feed(std::string_view fragment) {
  while (!fragment.empty()) {
    std::size_t used = 1;
    switch (state_) {
      case State::kCharacters:
        used = std::min(fragment.find('<'), fragment.size());
        if (used > 0) handler_.characters(fragment.substr(0, used), offset_);
        if (used == fragment.size()) break;
        state_ = State::kMarkup;
        markup_begin_ = offset_ + used;
        markup_.assign(1, '<');
        ++used;
        break;
      case State::kMarkup:
        if (may_follow(fragment.front())) {
          feed_markup(fragment.front());
        } else {
          give_up();
          used = 0;
        }
        break;
      case State::kComment:
        if (fragment.front() == '>' && dashes_ >= 2) state_ = State::kCharacters;
        dashes_ = fragment.front() == '-' ? std::min(dashes_ + 1, 2) : 0;
        break;
    }
    offset_ += used;
    fragment.remove_prefix(used);
  }
}

bool SgmlScanner::may_follow(char byte) const {
  if (byte == '<' || markup_.size() >= kLongestMarkup) return false;
  if (markup_.size() == 1) return is_letter(byte) || byte == '/' || byte == '!' || byte == '?';
  return markup_.size() > 2 || markup_[1] != '/' || is_letter(byte);
}

void SgmlScanner::feed_markup(char byte) {
  markup_ += byte;
  if (byte == '>') {
    end_markup();
  } else if (markup_ == "<!--") {
    state_ = State::kComment;
    dashes_ = 0;
  }
}

void SgmlScanner::end_markup() {
  state_ = State::kCharacters;
  const bool is_end = markup_[1] == '/';
  const std::size_t begin = is_end ? 2 : 1;
  std::size_t end = begin;
  while (is_name_byte(markup_[end])) {
    if (markup_[end] >= 'A' && markup_[end] <= 'Z') markup_[end] = static_cast<char>(markup_[end] | 0x20);
    ++end;
  }
  if (end == begin) return;  // a declaration or processing instruction
  handler_.tag(
      {std::string_view(markup_).substr(begin, end - begin), is_end, markup_begin_, markup_begin_ + markup_.size()});
}

// Hands out as characters what looked like markup.
void SgmlScanner::give_up() {
  state_ = State::kCharacters;
  handler_.characters(markup_, markup_begin_);
}

void SgmlScanner::finish() {
  if (state_ == State::kMarkup) give_up();
  state_ = State::kCharacters;
}

}  // namespace spillway
