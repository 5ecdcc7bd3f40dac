#include "corpora/http/response_head.hpp"

#include <algorithm>

namespace spillway {

namespace {

constexpr std::string_view kHttpMagic = "http/";

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return lower;
}

std::string_view without_quotes(std::string_view text) {
  while (!text.empty() && (text.front() == '"' || text.front() == '\'')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == '"' || text.back() == '\'')) text.remove_suffix(1);
  return trimmed(text);
}

// Takes the text before the next `separator`, which may be the end, off the list.
std::string_view take_item(std::string_view& list, char separator) {
  const std::size_t end = std::min(list.find(separator), list.size());
  const std::string_view item = trimmed(list.substr(0, end));
  list.remove_prefix(std::min(end + 1, list.size()));
  return item;
}

// Names that say that nothing was done, some of them wrongly.
bool is_identity(std::string_view name) {
  for (const std::string_view known : {"identity", "chunked", "none", "utf-8", "binary", "7bit", "8bit"}) {
    if (equals_ignoring_case(name, known)) return true;
  }
  return false;
}

ContentCoding coding_of(std::string_view name) {
  if (equals_ignoring_case(name, "gzip") || equals_ignoring_case(name, "x-gzip")) return ContentCoding::kGzip;
  if (equals_ignoring_case(name, "deflate")) return ContentCoding::kDeflate;
  if (equals_ignoring_case(name, "br")) return ContentCoding::kBrotli;
  return equals_ignoring_case(name, "zstd") ? ContentCoding::kZstd : ContentCoding::kUnknown;
}

// The three digits after the first space: "HTTP/1.1 200 OK".
unsigned status_of(std::string_view line) {
  const std::size_t space = line.find_first_of(" \t");
  if (space == std::string_view::npos) return 0;
  const std::string_view rest = trimmed(line.substr(space));
  const auto number = parse_decimal(rest.substr(0, 3));
  const bool ends = rest.size() == 3 || (rest.size() > 3 && (rest[3] < '0' || rest[3] > '9'));
  return number && ends ? static_cast<unsigned>(*number) : 0;
}

}  // namespace

MediaType parse_media_type(std::string_view value) {
  constexpr std::size_t kLongest = 128;  // of names worth comparing
  MediaType type;
  type.mime = in_lower_case(take_item(value, ';').substr(0, kLongest));
  while (!value.empty()) {
    const std::string_view parameter = take_item(value, ';');
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos || !type.charset.empty()) continue;
    if (!equals_ignoring_case(trimmed(parameter.substr(0, equals)), "charset")) continue;
    type.charset = without_quotes(trimmed(parameter.substr(equals + 1))).substr(0, kLongest);
  }
  // "text/html, text/html" and "text/html charset=utf-8" occur.
  type.mime.resize(std::min(type.mime.find_first_of(", \t"), type.mime.size()));
  return type;
}

void ResponseHeadReader::reset() {
  fields_.reset();
  state_ = FieldReader::State::kOpen;
  head_ = {};
  start_.clear();
  blank_bytes_ = 0;
  is_recognised_ = false;
}

std::size_t ResponseHeadReader::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (start_.empty() && !is_recognised_ && at < bytes.size() && (bytes[at] == '\r' || bytes[at] == '\n')) {
    ++at;
    ++blank_bytes_;
  }
  while (!is_recognised_ && at < bytes.size() && state_ == FieldReader::State::kOpen) {
    start_ += bytes[at++];
    if (!starts_with_ignoring_case(kHttpMagic, in_lower_case(start_))) {
      state_ = FieldReader::State::kBad;
    } else if (start_.size() == kHttpMagic.size()) {
      is_recognised_ = true;
      fields_.feed(start_);
    }
  }
  if (!is_recognised_) return at;
  at += fields_.feed(bytes.substr(at));
  state_ = fields_.state();
  head_.head_bytes = blank_bytes_ + fields_.bytes();
  return at;
}

bool ResponseHeadReader::first_line(std::string_view line) {
  head_.status = status_of(line);
  head_.is_http = true;
  return true;
}

bool ResponseHeadReader::broken_line(std::string_view) { return true; }

void ResponseHeadReader::add_codings(std::string_view list) {
  while (!list.empty()) {
    const std::string_view name = without_quotes(take_item(list, ','));
    if (name.empty() || is_identity(name)) continue;
    ContentCoding coding = coding_of(name);
    if (head_.codings.size() == kMaxCodings) coding = ContentCoding::kUnknown;
    if (coding == ContentCoding::kUnknown && head_.unknown_coding.empty()) head_.unknown_coding = name.substr(0, 64);
    if (head_.codings.size() < kMaxCodings) head_.codings.push_back(coding);
  }
}

void ResponseHeadReader::field(std::string_view name, std::string_view value) {
  if (equals_ignoring_case(name, "content-type")) {
    const MediaType type = parse_media_type(value);
    if (!type.mime.empty()) head_.type = type;
  } else if (equals_ignoring_case(name, "content-encoding")) {
    add_codings(value);
  } else if (equals_ignoring_case(name, "transfer-encoding")) {
    for (std::string_view list = value; !list.empty();) {
      head_.is_chunked |= equals_ignoring_case(take_item(list, ','), "chunked");
    }
    add_codings(value);
  }
}

}  // namespace spillway
