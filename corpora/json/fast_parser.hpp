// Parses one JSONL record that lies in memory, strictly, in one pass. It knows only good records: at the first doubt it
// gives up, and the scanner (corpora/json/scanner.hpp) decides.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/document/field_table.hpp"
#include "corpora/json/string.hpp"

namespace spillway {

inline constexpr unsigned kMaxJsonDepth = 64;  // containers inside each other, the record's object included

class FastJsonParser {
 public:
  explicit FastJsonParser(const FieldTable& table, UnescapeFunction unescape = best_unescape_function());

  // True: `record` is a JSON object as RFC 8259 wants it, without lone surrogates; texts() has the members' values,
  // unescaped into `scratch`. False: something is wrong or doubtful.
  // Requires: valid UTF-8; behind its end a newline and kJsonPadding readable bytes; scratch as long as the record
  // plus kJsonPadding.
  bool parse(std::string_view record, char* scratch);

  // Of the last parse, by name index of the table. values().begin and .end are not set.
  std::span<const JsonValue> values() const { return values_; }
  std::string_view text(std::size_t name) const { return texts_[name]; }

 private:
  bool parse_member();
  bool parse_value(std::size_t name);
  bool parse_string(std::string_view* text);
  bool skip_string();
  bool skip_nested();
  bool skip_scalar();
  bool parse_number();
  bool parse_literal(std::string_view word);
  void skip_space();

  const FieldTable& table_;
  UnescapeFunction unescape_;
  const char* at_ = nullptr;
  char* out_ = nullptr;
  std::vector<JsonValue> values_;
  std::vector<std::string_view> texts_;
};

}  // namespace spillway
