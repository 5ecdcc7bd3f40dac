#include "corpora/warc/arc_line.hpp"

#include <algorithm>

#include "corpora/http/field_reader.hpp"

namespace spillway {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether a URL begins here: a scheme and a colon.
bool starts_with_scheme(std::string_view text) {
  const std::size_t colon = text.substr(0, 32).find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
}

// IPv4 or IPv6; "0.0.0.0" and "-" where it was not known.
bool is_address(std::string_view text) {
  constexpr std::size_t kLongest = 45;
  if (text == "-") return true;
  return text.size() >= 2 && text.size() <= kLongest &&
         text.find_first_not_of("0123456789abcdefABCDEF.:") == std::string_view::npos &&
         text.find_first_of(".:") != std::string_view::npos;
}

bool is_date(std::string_view text) {
  return text.size() >= 8 && text.size() <= 20 && std::all_of(text.begin(), text.end(), is_digit);
}

// Takes the last word, and the space before it, off the line.
std::string_view take_last(std::string_view& line) {
  const std::size_t space = line.find_last_of(' ');
  if (space == std::string_view::npos) return {};
  const std::string_view word = line.substr(space + 1);
  line = line.substr(0, space);
  return word;
}

// Reads a line with `between` fields between type and length.
std::optional<ArcLine> parse_version(std::string_view line, int between) {
  ArcLine result;
  result.length = parse_decimal(take_last(line));
  for (int i = 0; i < between; ++i) take_last(line);
  result.type = take_last(line);
  result.date = take_last(line);
  const std::string_view address = take_last(line);
  result.uri = line;
  if (!is_date(result.date) || !is_address(address) || !starts_with_scheme(result.uri)) return std::nullopt;
  return result;
}

}  // namespace

std::optional<ArcLine> parse_arc_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  constexpr int kVersion2Fields = 5;
  if (line.size() > kMaxArcLineBytes || !starts_with_scheme(line)) return std::nullopt;
  if (line.find('\0') != std::string_view::npos) return std::nullopt;  // a hole between the starts of two lines
  const auto version_1 = parse_version(line, 0);
  return version_1 ? version_1 : parse_version(line, kVersion2Fields);
}

}  // namespace spillway
