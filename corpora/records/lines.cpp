#include "corpora/records/lines.hpp"

#include <cstring>

#include "corpora/document/field_table.hpp"
#include "corpora/records/text.hpp"

namespace spillway {

void LineParser::parse_block(std::string_view block, const RecordPlace& place, DocumentSink& sink) {
  const bool block_is_valid = is_valid_utf8(block);
  const DocumentFields fields;
  const char* const end = block.data() + block.size();
  for (const char* line = block.data(); line < end;) {
    const auto* newline = static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line)));
    const char* line_end = newline == nullptr ? end : newline;
    if (newline != nullptr && line_end > line && line_end[-1] == '\r') --line_end;
    const std::string_view text(line, static_cast<std::size_t>(line_end - line));
    const RecordPlace line_place{place.path, place.offset + static_cast<std::uint64_t>(line - block.data())};
    line = newline == nullptr ? end : newline + 1;
    if (!block_is_valid || text.size() > max_document_bytes_) {
      parse_line(text, line_place, sink);
      continue;
    }
    sink.begin(fields, line_place.at());
    if (!text.empty()) sink.text(text);
    sink.end();
  }
}

void LineParser::parse_line(std::string_view line, const RecordPlace& place, DocumentSink& sink) {
  MemoryRecord record(line);
  parse_long(record, place, sink);
}

void LineParser::parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) {
  if (record.size() > max_document_bytes_) {
    sink.skip(SkipReason::kDocumentTooLong, place.at(), document_too_long_detail(record.size(), max_document_bytes_));
    return;
  }
  emit_plain_text(record, {}, place, scratch_, sink);
}

}  // namespace spillway
