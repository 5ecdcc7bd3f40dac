#include "corpora/html/reference.hpp"

#include <array>
#include <cstring>

#include "corpora/document/utf8.hpp"

namespace spillway {

namespace {

constexpr std::uint32_t kReplacement = 0xFFFD, kTooLarge = 0x110000;

// References to C1 controls mean the characters that windows-1252 has there.
constexpr std::array<std::uint16_t, 32> kWindows1252{0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                     0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                                     0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                     0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_alphanumeric(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
std::uint32_t digit_value(char c) { return static_cast<std::uint32_t>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10); }

std::uint32_t numbered_character(std::uint32_t number) {
  if (number == 0 || number >= kTooLarge || (number >= 0xD800 && number <= 0xDFFF)) return kReplacement;
  return number >= 0x80 && number < 0xA0 ? kWindows1252[number - 0x80] : number;
}

}  // namespace

void HtmlReference::start(HtmlReferencePlace place) {
  place_ = place;
  state_ = State::kStart;
  search_ = HtmlEntitySearch();
  match_ = nullptr;
  number_ = 0;
  text_[0] = '&';
  length_ = 1;
}

std::size_t HtmlReference::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && !done() && feed_byte(bytes[at])) ++at;
  return at;
}

// Returns whether the byte belongs to the reference.
bool HtmlReference::feed_byte(char byte) {
  switch (state_) {
    case State::kStart:
      if (byte == '#') {
        state_ = State::kNumber;
      } else if (is_alphanumeric(byte)) {
        state_ = State::kName;
        return feed_name(byte);
      } else {
        return give_up();
      }
      break;
    case State::kNumber:
      state_ = byte == 'x' || byte == 'X' ? State::kHexStart : State::kDecimalStart;
      if (state_ == State::kDecimalStart) return feed_digit(byte);
      break;
    case State::kName:
      return feed_name(byte);
    default:
      return feed_digit(byte);
  }
  append({&byte, 1});
  return true;
}

bool HtmlReference::feed_name(char byte) {
  if (byte == ';' && search_.match() != nullptr) {
    length_ = 0;
    append(search_.match()->first);
    if (search_.match()->second != 0) append(search_.match()->second);
    state_ = State::kDone;
    return true;
  }
  if (!search_.narrow(byte)) {
    end_name(byte);
    return false;
  }
  append({&byte, 1});
  const HtmlEntity* const match = search_.match();
  if (match != nullptr && !match->needs_semicolon) match_ = match;
  return true;
}

// The name ends before `next`. In an attribute, a name without its semicolon before "=" or another letter is text, so
// that "?a=b&copy=1" stays what it is.
void HtmlReference::end_name(char next) {
  state_ = State::kDone;
  if (match_ == nullptr) return;
  const std::size_t matched = 1 + match_->name.size();
  const char after = matched < length_ ? text_[matched] : next;
  if (place_ == HtmlReferencePlace::kAttribute && (after == '=' || is_alphanumeric(after))) return;
  char rest[kLongestEntityName];
  const std::size_t rest_length = length_ - matched;
  std::memcpy(rest, text_ + matched, rest_length);
  length_ = 0;
  append(match_->first);
  if (match_->second != 0) append(match_->second);
  append({rest, rest_length});
}

bool HtmlReference::feed_digit(char byte) {
  const bool hex = state_ == State::kHexStart || state_ == State::kHex;
  if (hex ? is_hex(byte) : is_digit(byte)) {
    state_ = hex ? State::kHex : State::kDecimal;
    number_ = number_ * (hex ? 16 : 10) + digit_value(byte);
    if (number_ > kTooLarge) number_ = kTooLarge;
    return true;
  }
  if (state_ == State::kHexStart || state_ == State::kDecimalStart) return give_up();
  end_number();
  return byte == ';';
}

void HtmlReference::end_number() {
  length_ = 0;
  append(numbered_character(number_));
  state_ = State::kDone;
}

void HtmlReference::finish() {
  if (state_ == State::kName) end_name('\0');
  if (state_ == State::kHex || state_ == State::kDecimal) end_number();
  state_ = State::kDone;
}

bool HtmlReference::give_up() {
  state_ = State::kDone;
  return false;
}

void HtmlReference::append(std::string_view bytes) {
  std::memcpy(text_ + length_, bytes.data(), bytes.size());
  length_ += bytes.size();
}

void HtmlReference::append(std::uint32_t character) {
  length_ = static_cast<std::size_t>(write_utf8(character, text_ + length_) - text_);
}

}  // namespace spillway
