#include "corpora/json/fast_parser.hpp"

#include <algorithm>
#include <cstring>

namespace spillway {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

FastJsonParser::FastJsonParser(const FieldTable& table, UnescapeFunction unescape)
    : table_(table),
      unescape_(unescape),
      values_(table.name_count()),
      texts_(table.name_count()),
      pieces_(table.name_count()),
      is_text_(table.name_count()) {
  for (std::size_t name = 0; name < table.name_count(); ++name) is_text_[name] = table.is_text_only(name);
}

// The newline after the record ends every loop: it is neither a space here nor part of any token.
void FastJsonParser::skip_space() {
  while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') ++at_;
}

// Bytes outside of strings that are 0x80 or above are refused.
std::optional<std::size_t> FastJsonParser::parse(std::string_view bytes, char* scratch, PackWordsFunction pack) {
  std::fill(values_.begin(), values_.end(), FieldValue{});
  at_ = bytes.data();
  out_ = scratch;
  high_bytes_ = 0;
  pack_ = pack;
  packed_.clear();
  if (!parse_object() || *at_ != '\n') return std::nullopt;
  return static_cast<std::size_t>(at_ - bytes.data());
}

// With the space around it.
bool FastJsonParser::parse_object() {
  skip_space();
  if (*at_ != '{') return false;
  ++at_;
  skip_space();
  if (*at_ == '}') {
    ++at_;
  } else {
    for (;;) {
      if (!parse_member()) return false;
      skip_space();
      const char separator = *at_++;
      if (separator == '}') break;
      if (separator != ',') return false;
      skip_space();
    }
  }
  skip_space();
  return true;
}

bool FastJsonParser::parse_member() {
  std::string_view key;
  char* const key_begin = out_;
  if (!parse_string(&key)) return false;
  const std::size_t name = table_.find(key);
  out_ = key_begin;
  skip_space();
  if (*at_ != ':') return false;
  ++at_;
  skip_space();
  return parse_value(name);
}

bool FastJsonParser::parse_value(std::size_t name) {
  FieldValue unused;
  FieldValue& value = name == FieldTable::kNoName ? unused : values_[name];
  const char first = *at_;
  if (first == '"') {
    if (name == FieldTable::kNoName) return skip_string();
    if (pack_ != nullptr && is_text_[name]) return parse_text(name);
    std::string_view& text = texts_[name];
    if (!parse_string(&text)) return false;
    value = {ValueKind::kString, 0, 0, text.size()};
    return true;
  }
  if (first == '{' || first == '[') {
    value = {ValueKind::kContainer};
    return skip_nested();
  }
  const char* const begin = at_;
  if (!skip_scalar()) return false;
  if (first == 'n') {
    value = {ValueKind::kNull};
  } else if (first == 't' || first == 'f') {
    value = {ValueKind::kBoolean};
  } else {
    const std::string_view number(begin, static_cast<std::size_t>(at_ - begin));
    value = {ValueKind::kNumber, 0, 0, number.size()};
    if (name != FieldTable::kNoName) texts_[name] = number;
  }
  return true;
}

bool FastJsonParser::parse_string(std::string_view* text) {
  if (*at_ != '"') return false;
  const UnescapedString end = unescape_(at_ + 1, out_, high_bytes_);
  if (end.next == nullptr) return false;
  *text = {out_, static_cast<std::size_t>(end.out - out_)};
  at_ = end.next;
  out_ = end.out;
  return true;
}

// Requires: a quote at at_. The scanner decides where a name is repeated, so that a record has at most one piece for
// each KiB and each name.
bool FastJsonParser::parse_text(std::size_t name) {
  if (values_[name].kind != ValueKind::kAbsent) return false;
  const char* const begin = ++at_;
  if (!packed_.take(pack_, at_, out_, high_bytes_, pieces_[name])) return false;
  values_[name] = {ValueKind::kString, 0, 0, static_cast<std::uint64_t>(at_ - begin) - 1};
  return true;
}

void FastJsonParser::send_text(std::size_t name, DocumentSink& sink) const {
  if (pack_ != nullptr && is_text_[name] && values_[name].kind == ValueKind::kString) {
    packed_.send(pieces_[name], sink);
  } else {
    sink.text(texts_[name]);
  }
}

bool FastJsonParser::skip_string() {
  char* const before = out_;
  std::string_view unused;
  const bool good = parse_string(&unused);
  out_ = before;
  return good;
}

bool FastJsonParser::skip_scalar() {
  switch (*at_) {
    case 't':
      return parse_literal("true");
    case 'f':
      return parse_literal("false");
    case 'n':
      return parse_literal("null");
    default:
      return parse_number();
  }
}

bool FastJsonParser::parse_literal(std::string_view word) {
  if (std::memcmp(at_, word.data(), word.size()) != 0) return false;
  at_ += word.size();
  return true;
}

bool FastJsonParser::parse_number() {
  if (*at_ == '-') ++at_;
  if (!is_digit(*at_)) return false;
  if (*at_ == '0') {
    ++at_;
  } else {
    while (is_digit(*at_)) ++at_;
  }
  if (*at_ == '.') {
    ++at_;
    if (!is_digit(*at_)) return false;
    while (is_digit(*at_)) ++at_;
  }
  if (*at_ == 'e' || *at_ == 'E') {
    ++at_;
    if (*at_ == '+' || *at_ == '-') ++at_;
    if (!is_digit(*at_)) return false;
    while (is_digit(*at_)) ++at_;
  }
  return true;
}

// Checks an array or object, which is never a field. One bit per level (1: object) replaces recursion.
bool FastJsonParser::skip_nested() {
  std::uint64_t objects = 0;
  unsigned depth = 0;
  bool value_next = true;  // else a separator or the end of a container
  for (;;) {
    skip_space();
    const char c = *at_;
    if (value_next && (c == '{' || c == '[')) {
      if (++depth >= kMaxJsonDepth) return false;
      ++at_;
      objects = objects << 1 | (c == '{' ? 1u : 0u);
      skip_space();
      const bool is_empty = *at_ == (c == '{' ? '}' : ']');
      value_next = !is_empty;
      if (is_empty) continue;
    } else if (value_next) {
      if (!(c == '"' ? skip_string() : skip_scalar())) return false;
      value_next = false;
      continue;
    } else if (c == ',') {
      ++at_;
      value_next = true;
      skip_space();
    } else {
      if (c != ((objects & 1) != 0 ? '}' : ']')) return false;
      ++at_;
      objects >>= 1;
      if (--depth == 0) return true;
      continue;
    }
    if ((objects & 1) != 0) {  // a member's name
      if (!skip_string()) return false;
      skip_space();
      if (*at_ != ':') return false;
      ++at_;
    }
  }
}

}  // namespace spillway
