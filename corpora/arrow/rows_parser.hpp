// Rows of Arrow batches to documents, as the parser of `jsonl` turns lines with the same values into documents.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/arrow/stream.hpp"
#include "corpora/document/corpus_options.hpp"
#include "corpora/document/field_table.hpp"
#include "corpora/document/fielded_document.hpp"

namespace spillway {

// Consecutive rows of a batch.
struct ArrowRows {
  std::shared_ptr<const ArrowBatch> batch;
  std::uint64_t begin = 0, end = 0;
};

// Not thread-safe.
class ArrowRowsParser {
 public:
  // The parsers of a thread share `document`.
  ArrowRowsParser(const CorpusOptions& options, FieldedDocument& document);

  // Calls the sink for each row, whose place is `source` and the row's number in the stream, and reports its bytes.
  void parse(const ArrowRows& rows, std::string_view source, DocumentSink& sink);

 private:
  void parse_row(const ArrowBatch& batch, std::uint64_t row, const SourcePlace& place, DocumentSink& sink);
  bool emit_as_it_is(const ChosenFields& chosen, const SourcePlace& place, DocumentSink& sink) const;
  void emit_repaired(const ChosenFields& chosen, const SourcePlace& place, DocumentSink& sink);

  FieldTable table_;
  std::uint64_t max_document_bytes_;
  FieldedDocument& document_;
  // The fields of the row, one for each name of the table.
  std::vector<FieldValue> values_;
  std::vector<std::string_view> texts_;
  std::vector<ArrowColumn::Digits> digits_;
};

}  // namespace spillway
