// `lines`: every line is a document, empty ones too; its id is computed from its number.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "corpora/records/parser.hpp"

namespace spillway {

class LineParser final : public RecordParser {
 public:
  // `scratch`: at least 64 bytes, for repaired text.
  LineParser(std::uint64_t max_document_bytes, std::span<char> scratch)
      : max_document_bytes_(max_document_bytes), scratch_(scratch) {}

  void parse_block(std::string_view block, const RecordPlace& place, DocumentSink& sink) override;
  // Without the CR that belongs to its newline.
  void parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) override;

 private:
  void parse_line(std::string_view line, const RecordPlace& place, DocumentSink& sink);
  std::uint64_t max_document_bytes_;
  std::span<char> scratch_;
};

}  // namespace spillway
