// How commands write JSON, and the members that several of them share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "io/format/content_options.hpp"
#include "io/format/index_types.hpp"

namespace spillway {

// One line of JSON and a line feed. Ill-formed UTF-8 (in paths) becomes U+FFFD; control characters are escaped.
std::string json_line(const nlohmann::ordered_json& value);
// The same, indented by 2.
std::string json_text(const nlohmann::ordered_json& value);

// Number, id, length, and the stored fields.
nlohmann::ordered_json document_json(std::uint32_t number, const StoredDocument& document);

// The content options of an index, without the versions of libraries; the stop list as its number of words.
nlohmann::ordered_json content_json(const ContentOptions& content);

// Names of option values on the command line.
const char* tokenizer_name(Tokenizer tokenizer);
const char* store_name(StorePolicy store);
const char* duplicate_policy_name(DuplicateIds policy);
std::uint64_t stop_word_count(const ContentOptions& content);

}  // namespace spillway
