#include "corpora/json/scanner.hpp"

#include <algorithm>

#include "corpora/json/fast_parser.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

JsonScanner::JsonScanner(const FieldTable& table)
    : table_(table), values_(table.name_count()), name_(table.longest_name()) {}

void JsonScanner::reset() {
  std::fill(values_.begin(), values_.end(), FieldValue{});
  state_ = State::kRecord;
  offset_ = 0;
  objects_ = 0;
  depth_ = 0;
  repaired_ = false;
  error_detail_.clear();
}

bool JsonScanner::feed(std::string_view fragment) {
  std::size_t at = 0;
  while (at < fragment.size() && state_ != State::kFailed) {
    if (state_ == State::kInString || state_ == State::kInName) {
      at += feed_string(fragment.substr(at));
      continue;
    }
    const char c = fragment[at];
    if (state_ == State::kInNumber && !feed_number(c)) continue;  // the number ended before c
    if (state_ == State::kInNumber || (state_ == State::kInLiteral ? feed_literal(c) : feed_structure(c))) {
      ++at;
      ++offset_;
    }
  }
  return good();
}

bool JsonScanner::finish() {
  if (state_ == State::kInNumber) end_number();
  if (state_ == State::kFailed || state_ == State::kDone) return good();
  if (state_ == State::kRecord) return fail("expected an object, found nothing");
  return fail("expected the rest of the object, found the end of the record");
}

bool JsonScanner::fail(std::string detail) {
  state_ = State::kFailed;
  error_detail_ = std::move(detail);
  return false;
}

bool JsonScanner::fail_expected(std::string_view expected, char found) {
  return fail("expected " + std::string(expected) + ", found '" + printable({&found, 1}) + "'");
}

// The entry of the member whose value is being read; nullptr if it is not in the table.
FieldValue* JsonScanner::member() {
  return depth_ == 1 && name_index_ != FieldTable::kNoName ? &values_[name_index_] : nullptr;
}

std::size_t JsonScanner::feed_string(std::string_view fragment) {
  TextOutput& out = state_ == State::kInName ? static_cast<TextOutput&>(name_) : counter_;
  const std::size_t read = decoder_.feed(fragment, out);
  offset_ += read;
  switch (decoder_.status()) {
    case JsonStringDecoder::Status::kOpen:
      break;
    case JsonStringDecoder::Status::kClosed:
      end_string();
      break;
    case JsonStringDecoder::Status::kControlCharacter:
      fail("expected a control character in a string to be escaped, found '" + printable(fragment.substr(read, 1)) +
           "'");
      break;
    case JsonStringDecoder::Status::kBadEscape:
      fail_expected("an escape sequence of JSON", fragment[read]);
      break;
  }
  return read;
}

void JsonScanner::start_string(State state) {
  state_ = state;
  decoder_.reset();
  name_.name.clear();
  value_begin_ = offset_ + 1;
  counted_before_ = counter_.bytes();
}

void JsonScanner::end_string() {
  repaired_ = repaired_ || decoder_.repaired();
  if (state_ == State::kInName) {
    if (depth_ == 1) name_index_ = table_.find(name_.name);
    state_ = State::kColon;
    return;
  }
  if (FieldValue* const value = member()) {
    *value = {ValueKind::kString, value_begin_, offset_ - 1, counter_.bytes() - counted_before_};
  }
  end_value();
}

// Returns true if c belongs to the number; false if the number ended before c, or is bad.
bool JsonScanner::feed_number(char c) {
  using enum NumberState;
  const bool digit = is_digit(c);
  const bool exponent = c == 'e' || c == 'E';
  switch (number_) {
    case kMinus:
      if (digit) return number_ = c == '0' ? kZero : kInteger, true;
      break;
    case kZero:
    case kInteger:
      if (digit && number_ == kInteger) return true;
      if (c == '.') return number_ = kPoint, true;
      if (exponent) return number_ = kE, true;
      break;
    case kPoint:
    case kFraction:
      if (digit) return number_ = kFraction, true;
      if (exponent && number_ == kFraction) return number_ = kE, true;
      break;
    case kE:
      if (c == '+' || c == '-') return number_ = kESign, true;
      [[fallthrough]];
    case kESign:
    case kExponent:
      if (digit) return number_ = kExponent, true;
      break;
  }
  end_number();
  return false;
}

bool JsonScanner::end_number() {
  using enum NumberState;
  if (number_ == kMinus || number_ == kPoint || number_ == kE || number_ == kESign) {
    return fail("expected a digit in a number");
  }
  if (FieldValue* const value = member()) {
    *value = {ValueKind::kNumber, value_begin_, offset_, offset_ - value_begin_};
  }
  end_value();
  return true;
}

bool JsonScanner::feed_literal(char c) {
  if (c != literal_.front()) return fail_expected("true, false or null", c);
  literal_.remove_prefix(1);
  if (literal_.empty()) end_value();
  return true;
}

void JsonScanner::end_value() { state_ = State::kCommaOrEnd; }

bool JsonScanner::start_literal(std::string_view word, ValueKind kind) {
  if (FieldValue* const value = member()) *value = {kind};
  literal_ = word.substr(1);
  state_ = State::kInLiteral;
  return true;
}

bool JsonScanner::open_container(bool is_object) {
  if (depth_ == kMaxJsonDepth) {
    return fail("expected at most " + std::to_string(kMaxJsonDepth) + " levels of arrays and objects");
  }
  if (FieldValue* const value = member()) *value = {ValueKind::kContainer};
  ++depth_;
  objects_ = objects_ << 1 | (is_object ? 1u : 0u);
  state_ = is_object ? State::kNameOrEnd : State::kValueOrEnd;
  return true;
}

bool JsonScanner::close_container(char c) {
  const bool is_object = (objects_ & 1) != 0;
  if (c != (is_object ? '}' : ']')) return fail_expected(is_object ? "',' or '}'" : "',' or ']'", c);
  --depth_;
  objects_ >>= 1;
  state_ = depth_ == 0 ? State::kDone : State::kCommaOrEnd;
  return true;
}

bool JsonScanner::start_value(char c) {
  if (c == '"') return start_string(State::kInString), true;
  if (c == '{' || c == '[') return open_container(c == '{');
  if (c == 't') return start_literal("true", ValueKind::kBoolean);
  if (c == 'f') return start_literal("false", ValueKind::kBoolean);
  if (c == 'n') return start_literal("null", ValueKind::kNull);
  if (c != '-' && !is_digit(c)) return fail_expected("a value", c);
  number_ = c == '-' ? NumberState::kMinus : c == '0' ? NumberState::kZero : NumberState::kInteger;
  value_begin_ = offset_;
  state_ = State::kInNumber;
  return true;
}

bool JsonScanner::feed_structure(char c) {
  if (is_space(c)) return true;
  switch (state_) {
    case State::kRecord:
      return c == '{' ? open_container(true) : fail_expected("an object", c);
    case State::kNameOrEnd:
      if (c == '}') return close_container(c);
      [[fallthrough]];
    case State::kName:
      if (c != '"') return fail_expected("a member's name", c);
      start_string(State::kInName);
      return true;
    case State::kColon:
      if (c != ':') return fail_expected("':'", c);
      state_ = State::kValue;
      return true;
    case State::kValueOrEnd:
      if (c == ']') return close_container(c);
      [[fallthrough]];
    case State::kValue:
      return start_value(c);
    case State::kCommaOrEnd:
      if (c != ',') return close_container(c);
      state_ = (objects_ & 1) != 0 ? State::kName : State::kValue;
      return true;
    default:
      return fail_expected("the end of the record", c);
  }
}

}  // namespace spillway
