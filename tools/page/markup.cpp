#include "tools/page/markup.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/base/error.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

namespace {

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text, std::numeric_limits<std::size_t>::max())) {
    const std::string_view name = entity(c);
    if (name.empty()) {
      result.push_back(c);
    } else {
      result += name;
    }
  }
  return result;
}

std::string escaped_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += escaped(text.substr(0, end));
    if (end == text.size()) break;
    result.push_back('\n');
    text.remove_prefix(end + 1);
  }
  return result;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "0";
  std::string digits = decimal_text(value, 3);
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

std::string percent_place(double share) { return number_text(100 * share) + "%"; }

}  // namespace spillway
