#include "tools/report/json.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "io/format/cursors.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

// Escapes C1 and bidirectional controls, which JSON leaves as they are and a terminal would obey. They occur only in
// strings, where \uNNNN means the same.
std::string without_controls(const std::string& json) {
  static constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
      {"\x7F", "\\u007f"},         {"\xD8\x9C", "\\u061c"},     {"\xE2\x80\x8E", "\\u200e"},
      {"\xE2\x80\x8F", "\\u200f"}, {"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"},
      {"\xE2\x80\xAA", "\\u202a"}, {"\xE2\x80\xAB", "\\u202b"}, {"\xE2\x80\xAC", "\\u202c"},
      {"\xE2\x80\xAD", "\\u202d"}, {"\xE2\x80\xAE", "\\u202e"}, {"\xE2\x81\xA6", "\\u2066"},
      {"\xE2\x81\xA7", "\\u2067"}, {"\xE2\x81\xA8", "\\u2068"}, {"\xE2\x81\xA9", "\\u2069"}};
  std::string result;
  for (std::size_t at = 0; at < json.size();) {
    if (static_cast<std::uint8_t>(json[at]) < 0x7F) {
      result.push_back(json[at++]);
      continue;
    }
    const std::string_view rest = std::string_view(json).substr(at);
    const auto* const found = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                           [&](const auto& escape) { return rest.starts_with(escape.first); });
    if (found != std::end(kEscapes)) {
      result += found->second;
      at += found->first.size();
    } else if (rest.size() > 1 && rest[0] == '\xC2' && static_cast<std::uint8_t>(rest[1]) < 0xA0) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto byte = static_cast<std::uint8_t>(rest[1]);
      result.append("\\u00").push_back(kHex[byte >> 4]);
      result.push_back(kHex[byte & 15]);
      at += 2;
    } else {
      result.push_back(json[at++]);
    }
  }
  return result;
}

}  // namespace

std::string json_line(const ordered_json& value) {
  return without_controls(value.dump(-1, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

std::string json_text(const ordered_json& value) {
  return without_controls(value.dump(2, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

ordered_json document_json(std::uint32_t number, const StoredDocument& document) {
  ordered_json object{{"document", number}, {"id", document.id}, {"length", document.length}};
  if (document.fields & RunDocument::kTitle) object["title"] = document.title;
  if (document.fields & RunDocument::kUrl) object["url"] = document.url;
  if (document.fields & RunDocument::kDate) object["date"] = document.date;
  return object;
}

ordered_json content_json(const ContentOptions& content) {
  return {{"tokenizer", tokenizer_name(content.tokenizer)},
          {"stop_words", stop_word_count(content)},
          {"stemmer", content.stemmer},
          {"max_term_bytes", content.max_term_bytes},
          {"max_document_bytes", content.max_document_bytes},
          {"positions", content.positions},
          {"store", store_name(content.store)},
          {"duplicate_ids", duplicate_policy_name(content.duplicate_ids)}};
}

const char* tokenizer_name(Tokenizer tokenizer) { return tokenizer == Tokenizer::kAscii ? "ascii" : "unicode"; }

const char* store_name(StorePolicy store) {
  return store == StorePolicy::kNone ? "none" : store == StorePolicy::kMeta ? "meta" : "text";
}

const char* duplicate_policy_name(DuplicateIds policy) {
  return policy == DuplicateIds::kFirst ? "first" : policy == DuplicateIds::kKeep ? "keep" : "fail";
}

std::uint64_t stop_word_count(const ContentOptions& content) {
  return static_cast<std::uint64_t>(std::count(content.stop_words.begin(), content.stop_words.end(), '\n'));
}

}  // namespace spillway
