// `tsv`: a line is a document and a tab ends a column; there is no quoting. The columns are id and text, or id, title
// and text, or those that the numbers in CorpusOptions::tsv_fields name; then other columns are ignored.
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
  // The parsers of a thread share `document`. Requires: fields that check_tsv_fields() accepts.
  TsvParser(const CorpusOptions& options, FieldedDocument& document);

  void parse_block(std::string_view block, const RecordPlace& place, DocumentSink& sink) override;
  // The record is without the CR that belongs to its newline.
  void parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) override;
  static std::size_t memory_bytes();

 private:
  bool find_columns(RecordSource& record, const RecordPlace& place, DocumentSink& sink);
  void measure(RecordSource& record);
  ChosenFields choose() const;
  bool has_good_columns() const;
  void send_text(RecordSource& record, std::size_t column, TextOutput& out);

  bool named_;              // whether options name columns by number
  FieldTable table_;        // the numbers
  std::size_t most_named_;  // the largest number
  std::uint64_t max_document_bytes_;
  std::vector<FieldValue> columns_;       // the columns that matter
  std::vector<FieldValue> named_values_;  // by name index of the table
  std::size_t column_count_ = 0;
  bool repaired_ = false;
  FieldedDocument& document_;
};

// Throws UsageError naming the option if a column is not a number from 1 to 100, or if the id, or both title and text,
// have no column.
void check_tsv_fields(const FieldNames& fields);

}  // namespace spillway
