#include "corpora/http/field_reader.hpp"

#include <algorithm>

namespace spillway {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

bool starts_with_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  return std::equal(lower.begin(), lower.end(), text.begin(), [](char want, char found) {
    return want == (found >= 'A' && found <= 'Z' ? static_cast<char>(found | 0x20) : found);
  });
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && starts_with_ignoring_case(text, lower);
}

std::optional<std::uint64_t> parse_decimal(std::string_view text) {
  constexpr std::size_t kMostDigits = 18;
  const std::size_t zeros = std::min(text.find_first_not_of('0'), text.size());
  if (text.empty() || text.size() - zeros > kMostDigits) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

void FieldReader::reset() {
  line_.clear();
  field_.clear();
  state_ = State::kOpen;
  bytes_ = line_bytes_ = fields_ = 0;
  has_first_line_ = has_bare_line_feeds_ = false;
}

std::size_t FieldReader::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && state_ == State::kOpen) {
    const std::size_t newline = bytes.find('\n', at);
    const std::size_t end = std::min(newline, bytes.size());
    keep(bytes.substr(at, end - at));
    at = end;
    if (newline != std::string_view::npos) {
      ++at;
      ++bytes_;
      end_line();
    }
    if (line_bytes_ > kMaxLineBytes || bytes_ > kMaxHeadBytes) state_ = State::kBad;
  }
  return at;
}

void FieldReader::keep(std::string_view part) {
  line_.append(part.substr(0, kKeptBytes - std::min(kKeptBytes, line_.size())));
  bytes_ += part.size();
  line_bytes_ += part.size();
}

void FieldReader::end_line() {
  if (!line_.ends_with('\r')) has_bare_line_feeds_ = true;
  while (line_.ends_with('\r')) line_.pop_back();
  if (!has_first_line_) {
    has_first_line_ = true;
    if (!handler_.first_line(line_)) state_ = State::kBad;
  } else if (line_.empty()) {
    end_field();
    if (state_ == State::kOpen) state_ = State::kDone;
  } else if (is_blank(line_.front()) && !field_.empty()) {
    field_ += ' ';
    field_.append(trimmed(line_).substr(0, kKeptBytes - std::min(kKeptBytes, field_.size())));
  } else {
    end_field();
    if (state_ == State::kOpen) field_.swap(line_);
  }
  line_.clear();
  line_bytes_ = 0;
}

void FieldReader::end_field() {
  if (field_.empty()) return;
  const std::size_t colon = field_.find(':');
  const std::string_view all = field_;
  if (colon == 0 || colon == std::string_view::npos) {
    if (!handler_.broken_line(all)) state_ = State::kBad;
  } else {
    handler_.field(trimmed(all.substr(0, colon)), trimmed(all.substr(colon + 1)));
  }
  if (++fields_ > kMaxFields) state_ = State::kBad;
  field_.clear();
}

}  // namespace spillway
