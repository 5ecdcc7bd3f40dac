// `jsonl`: one JSON object per line. Blank lines are no records. The fast parser takes good records; the scanner
// repairs the others or says why they are skipped.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "corpora/document/corpus_options.hpp"
#include "corpora/document/fielded_document.hpp"
#include "corpora/json/fast_parser.hpp"
#include "corpora/json/scanner.hpp"
#include "corpora/records/parser.hpp"

namespace spillway {

class JsonlParser final : public RecordParser {
 public:
  // `scratch` holds the unescaped text of a record: the length of the longest block plus kRecordPadding. The parsers of
  // a thread share `document`.
  JsonlParser(const CorpusOptions& options, std::span<char> scratch, FieldedDocument& document);

  void parse_block(std::string_view block, const RecordPlace& place, DocumentSink& sink) override;
  void parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) override;
  static std::size_t memory_bytes();

 private:
  // Takes the record at the start of `bytes`, and returns its length. Returns 0 if the scanner is to decide.
  std::size_t parse_fast(std::string_view bytes, const RecordPlace& place, DocumentSink& sink);
  // Whether the UTF-8 of the record at the start of the rest of a block is good.
  bool is_valid_start(std::string_view bytes, std::size_t record_bytes);
  // Takes the record that fast_ has parsed, and returns whether it is one to take.
  bool take_fast(const RecordPlace& place, DocumentSink& sink);
  void parse_slow(RecordSource& record, const RecordPlace& place, DocumentSink& sink);
  void send_text(RecordSource& record, std::size_t name, TextOutput& out);

  FieldTable table_;
  FastJsonParser fast_;
  JsonScanner scanner_;
  std::optional<bool> rest_is_valid_;  // UTF-8 of the block from an earlier record on, if it was checked
  std::uint64_t max_document_bytes_;
  std::span<char> scratch_;
  FieldedDocument& document_;
};

}  // namespace spillway
