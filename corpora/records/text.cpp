#include "corpora/records/text.hpp"

#include <algorithm>
#include <string>

#include "corpora/document/field_table.hpp"
#include "corpora/document/utf8.hpp"

namespace spillway {

namespace {

// A record without its first bytes.
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

// Whether a record of any length is valid UTF-8.
bool is_valid(RecordSource& record) {
  Utf8Repairer repairer;
  TextCounter out;
  record.visit(0, record.size(), [&](std::string_view piece) { repairer.feed(piece, out); });
  repairer.finish(out);
  return !repairer.repaired();
}

bool starts_binary(RecordSource& record) {
  bool found = false;
  record.visit(0, std::min<std::uint64_t>(record.size(), kBinarySniffBytes),
               [&](std::string_view piece) { found = found || looks_binary(piece); });
  return found;
}

bool starts_with_mark(RecordSource& record) {
  std::string head;
  record.visit(0, std::min<std::uint64_t>(record.size(), kByteOrderMark.size()),
               [&](std::string_view piece) { head += piece; });
  return head == kByteOrderMark;
}

}  // namespace

void emit_plain_text(RecordSource& record, DocumentFields fields, const RecordPlace& place, std::span<char> scratch,
                     DocumentSink& sink) {
  fields.repaired = fields.repaired || !is_valid(record);
  sink.begin(fields, place.at());
  PieceBuffer out(scratch, sink);
  Utf8Repairer repairer;
  record.visit(0, record.size(), [&](std::string_view piece) { repairer.feed(piece, out); });
  repairer.finish(out);
  out.flush();
  sink.end();
}

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

}  // namespace spillway
