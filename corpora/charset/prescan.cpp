#include "corpora/charset/prescan.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace spillway {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool starts_with_any_case(std::string_view text, std::string_view lower_word) {
  return text.size() >= lower_word.size() &&
         std::equal(lower_word.begin(), lower_word.end(), text.begin(), [](char a, char b) { return a == lower(b); });
}

std::size_t find_any_case(std::string_view text, std::string_view lower_word, std::size_t at) {
  for (; at + lower_word.size() <= text.size(); ++at) {
    if (starts_with_any_case(text.substr(at), lower_word)) return at;
  }
  return std::string_view::npos;
}

// A page that can be read so far as to find its declaration is not in UTF-16.
const Encoding* declared(const Encoding* encoding) {
  if (encoding == nullptr) return nullptr;
  if (encoding->kind == EncodingKind::kUtf16) return &utf8_encoding();
  return encoding->kind == EncodingKind::kUserDefined ? find_encoding("windows-1252") : encoding;
}

struct Attribute {
  std::string name, value;
};

class Prescan {
 public:
  explicit Prescan(std::string_view bytes) : bytes_(bytes) {}
  const Encoding* run() {
    while (at_ < bytes_.size()) {
      const std::string_view rest = bytes_.substr(at_);
      if (rest.starts_with("<!--")) {
        skip_to("-->", 2);
      } else if (starts_with_any_case(rest, "<meta") && rest.size() > 5 && (is_space(rest[5]) || rest[5] == '/')) {
        at_ += 5;
        if (const Encoding* const encoding = read_meta()) return encoding;
      } else if (rest.size() > 1 && rest[0] == '<' && is_letter(rest[rest[1] == '/' && rest.size() > 2 ? 2 : 1])) {
        skip_tag();
      } else if (rest.starts_with("<!") || rest.starts_with("</") || rest.starts_with("<?")) {
        skip_to(">", 0);
      } else {
        ++at_;
      }
    }
    return nullptr;
  }

 private:
  // Moves after the next `end` that begins at or after `offset` from here.
  void skip_to(std::string_view end, std::size_t offset) {
    const std::size_t found = bytes_.find(end, at_ + offset);
    at_ = found == std::string_view::npos ? bytes_.size() : found + end.size();
  }

  void skip_tag() {
    while (at_ < bytes_.size() && !is_space(bytes_[at_]) && bytes_[at_] != '>') ++at_;
    while (read_attribute()) {
    }
  }

  const Encoding* read_meta() {
    bool has_pragma = false, has_charset = false, needs_pragma = false;
    const Encoding* encoding = nullptr;
    std::string seen = " ";
    while (const auto attribute = read_attribute()) {
      if (seen.find(' ' + attribute->name + ' ') != std::string::npos) continue;
      seen += attribute->name + ' ';
      if (attribute->name == "http-equiv") {
        has_pragma = attribute->value == "content-type";
      } else if (attribute->name == "content" && !has_charset) {
        const std::string_view label = charset_parameter(attribute->value);
        if (label.empty() || find_encoding(label) == nullptr) continue;
        encoding = find_encoding(label);
        has_charset = needs_pragma = true;
      } else if (attribute->name == "charset") {
        encoding = find_encoding(attribute->value);
        has_charset = true;
        needs_pragma = false;
      }
    }
    if (at_ >= bytes_.size() || (needs_pragma && !has_pragma)) return nullptr;
    return declared(encoding);
  }

  // "Get an attribute". Returns nothing at the end of the tag, where it stays, and at the end of the bytes.
  std::optional<Attribute> read_attribute() {
    while (at_ < bytes_.size() && (is_space(bytes_[at_]) || bytes_[at_] == '/')) ++at_;
    if (at_ >= bytes_.size() || bytes_[at_] == '>') return std::nullopt;
    Attribute attribute;
    while (at_ < bytes_.size() && !(bytes_[at_] == '=' && !attribute.name.empty())) {
      if (is_space(bytes_[at_])) break;
      if (bytes_[at_] == '/' || bytes_[at_] == '>') return attribute;
      attribute.name += lower(bytes_[at_++]);
    }
    skip_spaces();
    if (at_ >= bytes_.size()) return std::nullopt;
    if (bytes_[at_] != '=') return attribute;
    ++at_;
    skip_spaces();
    if (!read_value(attribute.value)) return std::nullopt;
    return attribute;
  }

  // Returns false at the end of the bytes.
  bool read_value(std::string& value) {
    if (at_ >= bytes_.size()) return false;
    const char quote = bytes_[at_];
    const bool is_quoted = quote == '"' || quote == '\'';
    if (is_quoted) ++at_;
    for (; at_ < bytes_.size(); ++at_) {
      const char byte = bytes_[at_];
      if (is_quoted ? byte == quote : is_space(byte) || byte == '>') {
        at_ += is_quoted ? 1 : 0;
        return true;
      }
      value += lower(byte);
    }
    return false;
  }

  void skip_spaces() {
    while (at_ < bytes_.size() && is_space(bytes_[at_])) ++at_;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

std::string_view skip_controls(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= 0x20) text.remove_prefix(1);
  return text;
}

// The encoding of an XML declaration at the start.
const Encoding* xml_encoding(std::string_view bytes) {
  if (!bytes.starts_with("<?xml")) return nullptr;
  const std::string_view declaration = bytes.substr(0, bytes.find('>'));
  const std::size_t name = declaration.find("encoding");
  if (declaration.size() == bytes.size() || name == std::string_view::npos) return nullptr;
  std::string_view rest = skip_controls(declaration.substr(name + 8));
  if (!rest.starts_with('=')) return nullptr;
  rest = skip_controls(rest.substr(1));
  if (!rest.starts_with('"') && !rest.starts_with('\'')) return nullptr;
  const std::size_t end = rest.find(rest.front(), 1);
  if (end == std::string_view::npos) return nullptr;
  const std::string_view label = rest.substr(1, end - 1);
  const bool has_space = std::any_of(label.begin(), label.end(), is_space);
  return has_space ? nullptr : declared(find_encoding(label));
}

}  // namespace

std::string_view charset_parameter(std::string_view content_type) {
  constexpr std::string_view kName = "charset";
  for (std::size_t at = 0; (at = find_any_case(content_type, kName, at)) != std::string_view::npos;) {
    at += kName.size();
    while (at < content_type.size() && is_space(content_type[at])) ++at;
    if (at == content_type.size() || content_type[at] != '=') continue;
    do ++at;
    while (at < content_type.size() && is_space(content_type[at]));
    if (at == content_type.size()) return {};
    const char quote = content_type[at];
    if (quote == '"' || quote == '\'') {
      const std::size_t end = content_type.find(quote, at + 1);
      return end == std::string_view::npos ? std::string_view() : content_type.substr(at + 1, end - at - 1);
    }
    std::size_t end = at;
    while (end < content_type.size() && !is_space(content_type[end]) && content_type[end] != ';') ++end;
    return content_type.substr(at, end - at);
  }
  return {};
}

const Encoding* prescan_encoding(std::string_view begin) {
  using namespace std::string_view_literals;
  if (begin.starts_with("<\0?\0x\0"sv)) return find_encoding("utf-16le");
  if (begin.starts_with("\0<\0?\0x"sv)) return find_encoding("utf-16be");
  const Encoding* const encoding = Prescan(begin).run();
  return encoding != nullptr ? encoding : xml_encoding(begin);
}

}  // namespace spillway
