// `tsv`: a line is a document, a tab ends a column; there is no quoting. Columns are id and text, or id, title and
// text; or what the numbers of CorpusOptions::tsv_fields say, with further columns ignored.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/document/corpus_options.hpp"
#include "corpora/document/fielded_document.hpp"
#include "corpora/records/parser.hpp"

namespace spillway {

class TsvParser final : public RecordParser {
 public:
  // `document` is shared by the parsers of a thread. Requires: fields that check_tsv_fields() accepts.
  TsvParser(const CorpusOptions& options, FieldedDocument& document);

  void parse_block(std::string_view block, const RecordPlace& place, DocumentSink& sink) override;
  // Without the CR that belongs to its newline.
  void parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) override;
  static std::size_t memory_bytes();

 private:
  bool find_columns(RecordSource& record, const RecordPlace& place, DocumentSink& sink);
  void measure(RecordSource& record);
  ChosenFields choose() const;
  bool has_good_columns() const;
  void send_text(RecordSource& record, std::size_t column, TextOutput& out);

  bool named_;              // columns are given by number
  FieldTable table_;        // of the numbers
  std::size_t most_named_;  // the largest of them
  std::uint64_t max_document_bytes_;
  std::vector<JsonValue> columns_;       // as far as they matter
  std::vector<JsonValue> named_values_;  // by name index of the table
  std::size_t column_count_ = 0;
  bool repaired_ = false;
  FieldedDocument& document_;
};

// Throws UsageError naming the option: a column is no number from 1 to 100, or there is none for the id or for both
// title and text.
void check_tsv_fields(const FieldNames& fields);

}  // namespace spillway
