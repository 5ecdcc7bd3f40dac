#include "corpora/warc/date.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace spillway {

namespace {

using std::chrono::minutes;

constexpr std::size_t kPartCount = 6;
constexpr std::size_t kDigits = 14;  // of all parts

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits || !std::all_of(text.data(), text.data() + digits, is_digit)) return std::nullopt;
  int value = 0;
  for (const char digit : text.substr(0, digits)) value = value * 10 + (digit - '0');
  text.remove_prefix(digits);
  return value;
}

// Nothing, Z, +02:00 or -0230: how far local time is ahead of UTC.
std::optional<minutes> take_offset(std::string_view& text) {
  if (text.empty() || take(text, 'Z')) return minutes(0);
  const bool is_ahead = text.starts_with('+');
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hour = take_number(text, 2);
  take(text, ':');
  const auto minute = take_number(text, 2);
  if (!hour || !minute || *hour > 23 || *minute > 59) return std::nullopt;
  const minutes offset(*hour * 60 + *minute);
  return is_ahead ? offset : -offset;
}

// Year, month, day, hour, minute and second.
std::optional<std::array<int, kPartCount>> take_parts(std::string_view& text) {
  constexpr std::string_view kSeparators = "--T::";
  const bool has_separators = !std::all_of(text.begin(), text.end(), is_digit);
  if (!has_separators) text = text.substr(0, kDigits);  // some crawlers add digits of fractions
  std::array<int, kPartCount> parts{0, 1, 1, 0, 0, 0};
  for (std::size_t i = 0; i < kPartCount; ++i) {
    if (i > 0 && (has_separators ? !take(text, kSeparators[i - 1]) : text.empty())) return parts;
    const auto number = take_number(text, i == 0 ? 4 : 2);
    if (!number) return std::nullopt;
    parts[i] = *number;
  }
  if (take(text, '.')) text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  return parts;
}

}  // namespace

std::optional<std::chrono::sys_seconds> parse_crawl_date(std::string_view text) {
  const auto parts = take_parts(text);
  if (!parts) return std::nullopt;
  const auto [year, month, day, hour, minute, second] = *parts;
  const auto offset = take_offset(text);
  const std::chrono::year_month_day date(std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)});
  constexpr int kLeapSecond = 60;
  if (!offset || !text.empty() || !date.ok() || hour > 23 || minute > 59 || second > kLeapSecond) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + minutes(minute) - *offset +
         std::chrono::seconds(second);
}

}  // namespace spillway
