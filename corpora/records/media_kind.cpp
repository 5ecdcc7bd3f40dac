#include "corpora/records/media_kind.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "corpora/charset/detector.hpp"
#include "corpora/document/utf8.hpp"
#include "corpora/http/field_reader.hpp"

namespace spillway {

namespace {

constexpr std::array<std::string_view, 3> kHtmlTypes{"text/html", "application/xhtml+xml", "application/xhtml"};
// Types that servers give to what they do not know.
constexpr std::array<std::string_view, 7> kVagueTypes{
    "", "application/octet-stream", "application/unknown", "unknown/unknown", "unknown", "no-type", "*/*"};

template <std::size_t kCount>
bool is_one_of(std::string_view mime, const std::array<std::string_view, kCount>& types) {
  return std::find(types.begin(), types.end(), mime) != types.end();
}

std::string_view without_spaces_before(std::string_view start) {
  if (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
  const std::size_t begin = start.find_first_not_of(" \t\r\n\f");
  return begin == std::string_view::npos ? std::string_view() : start.substr(begin);
}

// Whether the bytes are UTF-16, whose text has NUL bytes.
bool is_wide(std::string_view label, std::string_view start) {
  if (start.starts_with("\xFE\xFF") || start.starts_with("\xFF\xFE")) return true;
  if (unmarked_utf16(start) != nullptr) return true;
  const Encoding* const labelled = find_encoding(label);
  return labelled != nullptr && (labelled == find_encoding("utf-16le") || labelled == find_encoding("utf-16be"));
}

// Returns the ASCII characters of text in UTF-16.
std::string without_nul_bytes(std::string_view start) {
  if (start.starts_with("\xFE\xFF") || start.starts_with("\xFF\xFE")) start.remove_prefix(2);
  std::string ascii(start);
  std::erase(ascii, '\0');
  return ascii;
}

bool is_binary(std::string_view start) {
  for (const std::string_view magic : {"%PDF-", "\x89PNG", "GIF8", "\xFF\xD8\xFF", "PK\x03\x04", "RIFF", "OggS"}) {
    if (start.starts_with(magic)) return true;
  }
  return start.find('\0') != std::string_view::npos;
}

bool has_tag(std::string_view start) {
  const std::string_view text = without_spaces_before(start);
  return text.starts_with("<!--") || starts_with_ignoring_case(text, "<head") ||
         starts_with_ignoring_case(text, "<body") || starts_with_ignoring_case(text, "<script") ||
         starts_with_ignoring_case(text, "<title") || starts_with_ignoring_case(text, "<p>") ||
         starts_with_ignoring_case(text, "<div") || starts_with_ignoring_case(text, "<table");
}

bool has_any_markup(std::string_view start) {
  const std::string_view text = without_spaces_before(start);
  if (text.size() < 2 || text.front() != '<') return false;
  const char lower = static_cast<char>(text[1] | 0x20);
  return (lower >= 'a' && lower <= 'z') || text[1] == '!' || text[1] == '?' || text[1] == '/';
}

// Some servers send NUL bytes in HTML, which browsers drop. What begins with a tag is no other format.
MediaKind narrow_media_kind(std::string_view mime, std::string_view start) {
  if (starts_like_page(start)) return MediaKind::kHtml;
  const bool is_vague = is_one_of(mime, kVagueTypes);
  const bool is_html = is_one_of(mime, kHtmlTypes);
  if (!is_vague && !is_html && mime != "text/plain") return MediaKind::kOther;
  if (is_html && has_any_markup(start)) return MediaKind::kHtml;
  if (is_binary(start)) return MediaKind::kOther;
  if (is_html || (is_vague && has_tag(start))) return MediaKind::kHtml;
  return MediaKind::kPlain;
}

}  // namespace

bool starts_with_markup(std::string_view label, std::string_view start) {
  return has_any_markup(is_wide(label, start) ? without_nul_bytes(start) : std::string(start));
}

bool starts_like_page(std::string_view start) {
  std::string_view text = without_spaces_before(start);
  if (text.starts_with("<?xml ")) {
    const std::size_t end = text.find("?>");
    if (end == std::string_view::npos) return false;
    text = without_spaces_before(text.substr(end + 2));
  }
  return starts_with_ignoring_case(text, "<!doctype html") || starts_with_ignoring_case(text, "<html");
}

MediaKind media_kind(std::string_view mime, std::string_view label, std::string_view start) {
  if (is_wide(label, start)) return narrow_media_kind(mime, without_nul_bytes(start));
  return narrow_media_kind(mime, start);
}

}  // namespace spillway
