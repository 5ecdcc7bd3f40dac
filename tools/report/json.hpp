// What several commands write as JSON, and how JSON is written: the same members everywhere.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "io/format/content_options.hpp"
#include "io/format/index_types.hpp"

namespace spillway {

// One line of JSON and a line feed; text that is no UTF-8 (paths) gets U+FFFD.
std::string json_line(const nlohmann::ordered_json& value);
// The same, indented.
std::string json_text(const nlohmann::ordered_json& value);

// number, id, length, and the fields that are there.
nlohmann::ordered_json document_json(std::uint32_t number, const StoredDocument& document);

// The options that an index is made with, without the versions of libraries; the stop list by its size.
nlohmann::ordered_json content_json(const ContentOptions& content);

// Names of option values, as the command line takes them.
const char* tokenizer_name(Tokenizer tokenizer);
const char* store_name(StorePolicy store);
const char* duplicate_policy_name(DuplicateIds policy);
std::uint64_t stop_word_count(const ContentOptions& content);

}  // namespace spillway
