#include "tools/report/figures.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace spillway {

namespace {

std::string formatted(const char* format, double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, format, value, unit);
  return text;
}

// Three significant digits, in the largest unit that does not exceed the value.
std::string scaled(double value, double base, const std::array<const char*, 5>& units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && value >= base) {
    value /= base;
    ++unit;
  }
  if (unit == 0) return formatted("%.0f %s", value, units[unit]);
  return formatted(value < 10 ? "%.2f %s" : value < 100 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  return scaled(static_cast<double>(bytes), 1000, {"B", "KB", "MB", "GB", "TB"});
}

std::string memory_text(std::uint64_t bytes) {
  return scaled(static_cast<double>(bytes), 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string seconds_text(double seconds) {
  if (seconds < 10) return formatted("%.3f %s", seconds, "s");
  if (seconds < 120) return formatted("%.1f %s", seconds, "s");
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 7200) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

std::string rate_text(std::uint64_t bytes, double seconds) {
  if (seconds <= 0) return "- MB/s";
  const double rate = static_cast<double>(bytes) / 1e6 / seconds;
  return formatted(rate < 10 ? "%.2f %s" : "%.0f %s", rate, "MB/s");
}

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "- %";
  return formatted("%.1f %s", 100.0 * static_cast<double>(part) / static_cast<double>(whole), "%");
}

std::string decimal_text(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string right_aligned(const std::string& text, std::size_t columns) {
  return text.size() >= columns ? text : std::string(columns - text.size(), ' ') + text;
}

std::string left_aligned(const std::string& text, std::size_t columns) {
  return text.size() >= columns ? text : text + std::string(columns - text.size(), ' ');
}

}  // namespace spillway
