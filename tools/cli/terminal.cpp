#include "tools/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kLeastColumns = 20, kUsualColumns = 80;

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

bool redraws_lines(int descriptor) {
  const std::string_view type = environment("TERM");
  return isatty(descriptor) == 1 && !type.empty() && type != "dumb";
}

bool shows_colors(int descriptor) { return redraws_lines(descriptor) && environment("NO_COLOR").empty(); }

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  std::size_t columns = 0;
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  const std::string_view named = environment("COLUMNS");
  if (columns == 0) std::from_chars(named.data(), named.data() + named.size(), columns);
  return std::max(columns == 0 ? kUsualColumns : columns, kLeastColumns);
}

std::string printable_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    lines += printable(text.substr(0, end), std::numeric_limits<std::size_t>::max());
    lines += text.substr(end, 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace spillway
