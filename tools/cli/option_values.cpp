#include "tools/cli/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/base/error.hpp"

namespace spillway {

namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view text, const std::string& expected) {
  throw UsageError(std::string(option) + " '" + printable(text, 80) + "': expected " + expected);
}

// The factor of a unit, 0 if there is no such unit.
std::uint64_t unit_factor(std::string_view unit) {
  if (unit.empty() || unit == "B") return 1;
  constexpr std::string_view kPrefixes = "KMGT";
  const char prefix = unit[0] == 'k' ? 'K' : unit[0];
  const std::size_t power = kPrefixes.find(prefix);
  const std::string_view rest = unit.substr(1);
  if (power == std::string_view::npos || (!rest.empty() && rest != "iB" && rest != "B")) return 0;
  const std::uint64_t base = rest == "B" ? 1000 : 1024;
  std::uint64_t factor = base;
  for (std::size_t i = 0; i < power; ++i) factor *= base;
  return factor;
}

std::uint64_t share_of(std::string_view option, std::string_view text, std::uint64_t percent,
                       std::optional<std::uint64_t> default_bytes) {
  if (!default_bytes) refuse(option, text, "a size such as 64M or 2G (there is no default to take a percentage of)");
  const auto bytes = static_cast<unsigned __int128>(*default_bytes) * percent / 100;
  if (percent == 0 || bytes == 0 || bytes > UINT64_MAX) refuse(option, text, "a percentage that gives a possible size");
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

std::uint64_t parse_size(std::string_view option, std::string_view text, std::optional<std::uint64_t> default_bytes) {
  const std::string expected =
      default_bytes ? "a size such as 64M, 2G, 500MB or 50%" : "a size such as 64M, 2G or 500MB";
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) refuse(option, text, "a size below 2^64 bytes, such as 64M or 2G");
  if (error != std::errc{}) refuse(option, text, expected);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit == "%") return share_of(option, text, number, default_bytes);
  const std::uint64_t factor = unit_factor(unit);
  if (factor == 0) {
    refuse(option, text, expected + "; units are K M G T (powers of 1024), KiB MiB GiB TiB and KB MB GB TB");
  }
  if (number == 0) refuse(option, text, "a size above 0");
  if (number > UINT64_MAX / factor) refuse(option, text, "a size below 2^64 bytes, such as 64M or 2G");
  return number * factor;
}

std::uint64_t parse_count(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < least || number > most) {
    refuse(option, text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

double parse_real(std::string_view option, std::string_view text, double least, double most) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !(number >= least && number <= most)) {
    const auto bound = [](double value) {
      char digits[32];
      return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    };
    refuse(option, text, "a number from " + bound(least) + " to " + bound(most));
  }
  return number;
}

std::size_t parse_choice(std::string_view option, std::string_view text, const std::vector<std::string>& choices) {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  std::string expected = "one of";
  for (const std::string& choice : choices) expected += (choice == choices.front() ? " " : ", ") + choice;
  if (const auto near = nearest_name(text, choices)) expected += "; did you mean " + *near + "?";
  refuse(option, text, expected);
}

std::vector<std::string> parse_list(std::string_view option, std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end == begin) refuse(option, text, "names separated by single commas");
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void take_size(const Arguments& arguments, const char* option, std::uint64_t& value,
               std::optional<std::uint64_t> default_bytes) {
  if (const auto text = arguments.text(option)) value = parse_size(std::string("--") + option, *text, default_bytes);
}

void take_real(const Arguments& arguments, const char* option, double least, double most, double& value) {
  if (const auto text = arguments.text(option)) value = parse_real(std::string("--") + option, *text, least, most);
}

}  // namespace spillway
