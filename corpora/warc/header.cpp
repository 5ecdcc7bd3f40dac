#include "corpora/warc/header.hpp"

#include <algorithm>
#include <array>

#include "corpora/warc/arc_line.hpp"
#include "corpora/warc/start.hpp"

namespace spillway {

namespace {

constexpr std::array<std::string_view, kWarcTypeCount> kTypeNames{
    "warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation", "other"};

WarcType parse_type(std::string_view name) {
  for (std::size_t i = 0; i < kTypeNames.size(); ++i) {
    if (equals_ignoring_case(name, kTypeNames[i])) return static_cast<WarcType>(i);
  }
  return WarcType::kOther;
}

std::string_view without_brackets(std::string_view uri) {
  return uri.size() >= 2 && uri.front() == '<' && uri.back() == '>' ? trimmed(uri.substr(1, uri.size() - 2)) : uri;
}

void keep_first(std::string& member, std::string_view value) {
  if (member.empty()) member = value;
}

// Whether there are bytes that text has not.
bool has_controls(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '\0' && c < ' ' && c != '\t' && c != '\r'; });
}

std::string digits_of(std::string_view date) {
  constexpr std::size_t kDateDigits = 14;
  std::string digits;
  for (const char c : date) {
    if (c >= '0' && c <= '9' && digits.size() < kDateDigits) digits += c;
  }
  return digits;
}

}  // namespace

std::string_view warc_type_name(WarcType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::string external_id(const WarcHeader& header) {
  if (!header.trec_id.empty()) return header.trec_id;
  if (!header.clueweb_id.empty()) return header.clueweb_id;
  if (!header.record_id.empty()) return header.record_id;
  return header.target_uri.empty() ? std::string() : digits_of(header.date) + "/" + header.target_uri;
}

void WarcHeaderReader::reset() {
  fields_.reset();
  state_ = FieldReader::State::kOpen;
  header_ = {};
  arc_line_.clear();
  kind_ = Kind::kUnknown;
  has_type_ = has_bad_length_ = is_contradictory_ = is_damaged_ = false;
}

// The first byte that differs from "WARC/" makes it an ARC: arc_line_ holds the bytes before it.
std::size_t WarcHeaderReader::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (kind_ == Kind::kUnknown && at < bytes.size()) {
    arc_line_ += bytes[at++];
    if (!kWarcMagic.starts_with(arc_line_)) {
      kind_ = Kind::kArc;
      --at;
      arc_line_.pop_back();
    } else if (arc_line_.size() == kWarcMagic.size()) {
      kind_ = Kind::kWarc;
      fields_.feed(kWarcMagic);
    }
  }
  if (kind_ == Kind::kArc) return at + feed_arc(bytes.substr(at));
  if (kind_ == Kind::kUnknown) return at;
  at += fields_.feed(bytes.substr(at));
  state_ = fields_.state();
  header_.header_bytes = fields_.bytes();
  header_.has_bare_line_feeds = fields_.has_bare_line_feeds();
  header_.has_length = header_.has_length && !has_bad_length_;
  if (is_contradictory_ || is_damaged_) state_ = FieldReader::State::kBad;
  return at;
}

std::size_t WarcHeaderReader::feed_arc(std::string_view bytes) {
  const std::size_t newline = bytes.find('\n');
  const std::size_t end = std::min(newline, bytes.size());
  arc_line_.append(bytes.substr(0, end));
  header_.is_arc = true;
  header_.header_bytes = arc_line_.size();
  if (newline == std::string_view::npos) {
    if (arc_line_.size() > kMaxArcLineBytes) state_ = FieldReader::State::kBad;
    return end;
  }
  ++header_.header_bytes;
  const auto line = parse_arc_line(arc_line_);
  state_ = line ? FieldReader::State::kDone : FieldReader::State::kBad;
  if (!line) return end + 1;
  header_.type = line->uri.starts_with("filedesc:") ? WarcType::kWarcinfo : WarcType::kResponse;
  header_.target_uri = line->uri;
  header_.date = line->date;
  header_.content_type = line->type;
  header_.has_length = line->length.has_value();
  header_.length = line->length.value_or(0);
  return end + 1;
}

bool WarcHeaderReader::first_line(std::string_view line) {
  header_.version = trimmed(line.substr(kWarcMagic.size()));
  return is_warc_version(header_.version);
}

// A header that lost its end runs into the next record. If a hole has swallowed the start of that one, the end of its
// header would make its page a page of this record.
bool WarcHeaderReader::broken_line(std::string_view line) {
  ++header_.broken_lines;
  is_damaged_ |= has_controls(line);
  return line.find(kWarcMagic) == std::string_view::npos;
}

void WarcHeaderReader::keep_once(std::string& member, std::string_view value) {
  if (member.empty()) {
    member = value;
  } else {
    is_contradictory_ |= member != value;
  }
}

void WarcHeaderReader::take_length(std::string_view value) {
  const auto length = parse_decimal(value);
  has_bad_length_ |= !length;
  if (!length) return;
  is_contradictory_ |= header_.has_length && header_.length != *length;
  header_.has_length = true;
  header_.length = *length;
}

void WarcHeaderReader::field(std::string_view name, std::string_view value) {
  is_damaged_ |= has_controls(name) || value.find('\0') != std::string_view::npos;
  if (equals_ignoring_case(name, "content-length")) return take_length(value);
  if (equals_ignoring_case(name, "content-type")) {
    return keep_first(header_.content_type, value);
  }
  if (equals_ignoring_case(name, "clueweb22-id")) return keep_once(header_.clueweb_id, value);
  if (!starts_with_ignoring_case(name, "warc-")) return;
  const std::string_view rest = name.substr(5);
  if (equals_ignoring_case(rest, "type")) {
    const WarcType type = parse_type(value);
    is_contradictory_ |= has_type_ && type != header_.type;
    header_.type = type;
    has_type_ = true;
  } else if (equals_ignoring_case(rest, "target-uri")) {
    keep_first(header_.target_uri, without_brackets(value));
  } else if (equals_ignoring_case(rest, "date")) {
    keep_first(header_.date, value);
  } else if (equals_ignoring_case(rest, "record-id")) {
    keep_once(header_.record_id, without_brackets(value));
  } else if (equals_ignoring_case(rest, "trec-id")) {
    keep_once(header_.trec_id, value);
  } else if (equals_ignoring_case(rest, "identified-payload-type")) {
    header_.payload_type = value;
  } else if (equals_ignoring_case(rest, "truncated")) {
    header_.truncated = value;
  } else if (equals_ignoring_case(rest, "payload-digest")) {
    keep_first(header_.payload_digest, value);
  } else if (starts_with_ignoring_case(rest, "refers-to")) {
    reference(rest.substr(std::string_view("refers-to").size()), value);
  }
}

// `name`: what follows "WARC-Refers-To".
void WarcHeaderReader::reference(std::string_view name, std::string_view value) {
  if (name.empty()) {
    keep_first(header_.refers_to, without_brackets(value));
  } else if (equals_ignoring_case(name, "-target-uri")) {
    keep_first(header_.refers_to_uri, without_brackets(value));
  } else if (equals_ignoring_case(name, "-date")) {
    keep_first(header_.refers_to_date, value);
  }
}

}  // namespace spillway
