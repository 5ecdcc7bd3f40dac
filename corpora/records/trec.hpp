// `trec`: the format of TREC's collections, <DOC> <DOCNO> id </DOCNO> ... </DOC>, with names in upper or lower case. A
// record goes from one <DOC> to the next (RecordBorders). The fields are the elements that CorpusOptions::trec_fields
// names, if they have an end tag. All other characters are text.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/document/corpus_options.hpp"
#include "corpora/document/fielded_document.hpp"
#include "corpora/records/borders.hpp"
#include "corpora/records/parser.hpp"
#include "corpora/sgml/trec_layout.hpp"

namespace spillway {

class TrecParser final : public RecordParser {
 public:
  // The parsers of a thread share `document`.
  TrecParser(const CorpusOptions& options, FieldedDocument& document);

  void parse_block(std::string_view block, const RecordPlace& place, DocumentSink& sink) override;
  void parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) override;
  static std::size_t memory_bytes();

 private:
  void parse_document(RecordSource& record, const RecordPlace& place, DocumentSink& sink);
  std::vector<FieldValue> measure(RecordSource& record, const ChosenFields& chosen);
  void send_text(RecordSource& record, std::size_t name, const ChosenFields& chosen, TextOutput& out);

  FieldTable table_;
  std::vector<std::string> text_names_;
  std::uint64_t max_document_bytes_;
  RecordBorders borders_{CorpusFormat::kTrec};
  TrecLayout layout_;  // of the current record
  bool repaired_ = false;
  FieldedDocument& document_;
};

}  // namespace spillway
