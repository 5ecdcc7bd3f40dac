#include "corpora/warc/start.hpp"

#include <algorithm>

#include "corpora/http/field_reader.hpp"
#include "corpora/warc/arc_line.hpp"

namespace spillway {

namespace {

std::size_t count_digits(std::string_view text) { return std::min(text.find_first_not_of("0123456789"), text.size()); }

// Length of the line "WARC/1.0" that `bytes` begin with, 0 if they do not.
std::size_t version_line_bytes(std::string_view bytes) {
  constexpr std::size_t kMostBytes = 24;
  if (!bytes.starts_with(kWarcMagic)) return 0;
  const std::size_t newline = bytes.substr(0, kMostBytes).find('\n');
  if (newline == std::string_view::npos) return 0;
  const std::string_view version = bytes.substr(kWarcMagic.size(), newline - kWarcMagic.size());
  return is_warc_version(trimmed(version)) ? newline + 1 : 0;
}

bool is_warc_start(std::string_view bytes) {
  const std::size_t line = version_line_bytes(bytes);
  if (line == 0) return false;
  const std::string_view field = bytes.substr(line);
  return starts_with_ignoring_case(field, "warc-") || starts_with_ignoring_case(field, "content-");
}

bool is_arc_start(std::string_view bytes) {
  const std::size_t newline = bytes.find('\n');
  return newline != std::string_view::npos && parse_arc_line(bytes.substr(0, newline)).has_value();
}

}  // namespace

bool is_warc_version(std::string_view text) {
  constexpr std::size_t kMostDigits = 3;
  const std::size_t major = count_digits(text);
  if (major == 0 || major > kMostDigits || major == text.size() || text[major] != '.') return false;
  const std::string_view minor = text.substr(major + 1);
  return !minor.empty() && minor.size() <= kMostDigits && count_digits(minor) == minor.size();
}

bool is_record_start(WarcKind kind, std::string_view bytes) {
  return kind == WarcKind::kWarc ? version_line_bytes(bytes) != 0 : is_arc_start(bytes);
}

std::size_t find_record_start(WarcKind kind, std::string_view bytes, std::size_t last) {
  if (kind == WarcKind::kWarc) {
    for (std::size_t at = bytes.find(kWarcMagic); at <= last; at = bytes.find(kWarcMagic, at + 1)) {
      if (is_warc_start(bytes.substr(at))) return at;
    }
    return bytes.size();
  }
  for (std::size_t at = bytes.find('\n'); at < last; at = bytes.find('\n', at + 1)) {
    if (is_arc_start(bytes.substr(at + 1, warc_start_bytes(kind)))) return at + 1;
  }
  return bytes.size();
}

}  // namespace spillway
