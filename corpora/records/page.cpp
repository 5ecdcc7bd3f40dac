#include "corpora/records/page.hpp"

#include <string>

#include "corpora/document/field_table.hpp"

namespace spillway {

void PageParser::parse(RecordSource& record, std::string_view id, std::string_view path, DocumentSink& sink) {
  if (record.size() == 0) return;
  const std::uint64_t longest = longest_record_bytes(max_document_bytes_);
  if (record.size() > longest) {
    return sink.skip(SkipReason::kDocumentTooLong, {path, 0}, document_too_long_detail(record.size(), longest));
  }
  const PageReader::Feed feed = [&](BodyOutput& out) {
    bool wants_more = true;
    record.visit(0, record.size(), [&](std::string_view bytes) { wants_more = wants_more && out.body(bytes); });
  };
  reader_.read({"text/html", ""}, feed);
  if (reader_.page().kind() == MediaKind::kOther) {
    return sink.skip(SkipReason::kBinary, {path, 0}, "expected HTML, found a NUL byte or the start of another format");
  }
  if (reader_.document_bytes() > max_document_bytes_) {
    return sink.skip(SkipReason::kDocumentTooLong, {path, 0},
                     document_too_long_detail(reader_.document_bytes(), max_document_bytes_));
  }
  DocumentFields fields;
  const std::string valid_id = repair_utf8(id);
  fields.id = valid_id;
  fields.repaired = valid_id != id;
  reader_.emit(fields, {path, 0}, sink, feed);
}

}  // namespace spillway
