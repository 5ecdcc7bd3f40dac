#include "tools/json_output.hpp"

#include <algorithm>

namespace spillway {

using nlohmann::ordered_json;

std::string json_line(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string json_text(const ordered_json& value) {
  return value.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
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
