#include "corpora/records/text.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "corpora/document/field_table.hpp"
#include "corpora/document/utf8.hpp"

namespace spillway {

namespace {

// A record without its first `begin` bytes.
class RecordTail final : public RecordSource {
 public:
  RecordTail(RecordSource& whole, std::uint64_t begin) : whole_(whole), begin_(begin) {}
  std::uint64_t size() const override { return whole_.size() - begin_; }
  void visit(std::uint64_t begin, std::uint64_t end, const Visitor& visitor) override {
    whole_.visit(begin_ + begin, begin_ + end, visitor);
  }

 private:
  RecordSource& whole_;
  std::uint64_t begin_;
};

// Whether a record is valid UTF-8.
bool is_valid(RecordSource& record) {
  Utf8Repairer repairer;
  TextCounter out;
  record.visit(0, record.size(), [&](std::string_view fragment) { repairer.feed(fragment, out); });
  repairer.finish(out);
  return !repairer.repaired();
}

bool starts_binary(RecordSource& record) {
  bool found = false;
  record.visit(0, std::min<std::uint64_t>(record.size(), kBinarySniffBytes),
               [&](std::string_view fragment) { found = found || looks_binary(fragment); });
  return found;
}

bool starts_with_mark(RecordSource& record) {
  std::string head;
  record.visit(0, std::min<std::uint64_t>(record.size(), kByteOrderMark.size()),
               [&](std::string_view fragment) { head += fragment; });
  return head == kByteOrderMark;
}

// Hands out a document of `fields` whose text is the record, repaired.
void emit_plain_text(RecordSource& record, DocumentFields fields, const RecordPlace& place, std::span<char> scratch,
                     DocumentSink& sink) {
  fields.repaired = fields.repaired || !is_valid(record);
  sink.begin(fields, place.at());
  TextBuffer out(scratch, sink);
  Utf8Repairer repairer;
  record.visit(0, record.size(), [&](std::string_view fragment) { repairer.feed(fragment, out); });
  repairer.finish(out);
  out.flush();
  sink.end();
}

}  // namespace

void TextParser::parse(RecordSource& record, std::string_view id, std::string_view path, DocumentSink& sink) {
  if (record.size() == 0) return;
  if (starts_binary(record)) {
    sink.skip(SkipReason::kBinary, {path, 0}, kBinaryDetail);
    return;
  }
  RecordTail tail(record, starts_with_mark(record) ? kByteOrderMark.size() : 0);
  if (tail.size() > max_document_bytes_) {
    sink.skip(SkipReason::kDocumentTooLong, {path, 0}, document_too_long_detail(tail.size(), max_document_bytes_));
    return;
  }
  DocumentFields fields;
  const std::string valid_id = repair_utf8(id);
  fields.id = valid_id;
  fields.repaired = valid_id != id;
  emit_plain_text(tail, fields, {path, record.size() - tail.size()}, scratch_, sink);
}

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
      MemoryRecord record(text);
      parse_long(record, line_place, sink);
      continue;
    }
    sink.begin(fields, line_place.at());
    if (!text.empty()) sink.text(text);
    sink.end();
  }
}

void LineParser::parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) {
  if (record.size() > max_document_bytes_) {
    sink.skip(SkipReason::kDocumentTooLong, place.at(), document_too_long_detail(record.size(), max_document_bytes_));
    return;
  }
  emit_plain_text(record, {}, place, scratch_, sink);
}

}  // namespace spillway
