// Parses one good JSONL record in memory in a single strict pass. At the first doubt it gives up, and the scanner
// (corpora/json/scanner.hpp) decides. Time O(record). bench/json_bench.cpp compares it with simdjson: 5.9 against 3.1
// GB/s on records of 40 KB, 2.4 against 2.5 GB/s on records of 460 bytes (one core of an AMD EPYC with AVX-512).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/document/field_table.hpp"
#include "corpora/document/sink.hpp"
#include "corpora/json/packed_text.hpp"
#include "corpora/json/string.hpp"

namespace spillway {

inline constexpr unsigned kMaxJsonDepth = 64;  // nested containers, including the object of the record

class FastJsonParser {
 public:
  explicit FastJsonParser(const FieldTable& table, UnescapeFunction unescape = best_unescape_function());

  // Parses the record at the start of `bytes`, up to the next newline, and returns its length if it is a JSON object
  // (RFC 8259) without lone surrogates. Then text() has the values of its members, unescaped into `scratch`. Returns
  // nullopt if anything is wrong or doubtful. Does not look for broken UTF-8. Requires: a newline and kRecordPadding
  // readable bytes after `bytes`; room in `scratch` for the record and kRecordPadding bytes.
  // If `pack` is not null, strings that can only be texts are for send_text() alone, and their text_bytes count escapes
  // whole. Requires for that: has_unescape_avx512().
  std::optional<std::size_t> parse(std::string_view bytes, char* scratch, PackWordsFunction pack = nullptr);
  // If false, the last record was ASCII.
  bool may_have_high_bytes() const { return high_bytes_ != 0; }

  // Results of the last parse, by name index of the table. begin and end of the values are not set.
  std::span<const FieldValue> values() const { return values_; }
  std::string_view text(std::size_t name) const { return texts_[name]; }
  // Sends the value of a name of the text, as packed words where `pack` took them.
  void send_text(std::size_t name, DocumentSink& sink) const;

 private:
  bool parse_object();
  bool parse_member();
  bool parse_value(std::size_t name);
  bool parse_string(std::string_view* text);
  bool parse_text(std::size_t name);
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
  std::uint64_t high_bytes_ = 0;  // 0: there are none in the strings so far
  std::vector<FieldValue> values_;
  std::vector<std::string_view> texts_;
  PackWordsFunction pack_ = nullptr;
  PackedText packed_;
  std::vector<PieceRange> pieces_;  // by name index: of the strings in packed_
  std::vector<bool> is_text_;       // by name index: FieldTable::is_text_only
};

}  // namespace spillway
