#include "corpora/arrow/rows_parser.hpp"

#include <algorithm>

#include "corpora/document/utf8.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kReportedBytes = std::uint64_t{256} << 10;

}  // namespace

ArrowRowsParser::ArrowRowsParser(const CorpusOptions& options, FieldedDocument& document)
    : table_(options.fields),
      max_document_bytes_(options.max_document_bytes),
      document_(document),
      values_(table_.name_count()),
      texts_(table_.name_count()),
      digits_(table_.name_count()) {}

void ArrowRowsParser::parse(const ArrowRows& rows, std::string_view source, DocumentSink& sink) {
  std::uint64_t bytes = 0;  // that were not reported
  for (std::uint64_t row = rows.begin; row < rows.end; ++row) {
    parse_row(*rows.batch, row, {source, rows.batch->first_row() + row}, sink);
    for (const std::string_view text : texts_) bytes += text.size();
    if (bytes < kReportedBytes) continue;
    sink.consumed(bytes);
    bytes = 0;
  }
  sink.consumed(bytes);
}

void ArrowRowsParser::parse_row(const ArrowBatch& batch, std::uint64_t row, const SourcePlace& place,
                                DocumentSink& sink) {
  for (std::size_t name = 0; name < values_.size(); ++name) {
    const ArrowColumn* const column = batch.column(name);
    texts_[name] = column == nullptr ? std::string_view() : column->text(row, digits_[name]);
    values_[name] = {.kind = column == nullptr         ? ValueKind::kAbsent
                             : column->is_null(row)    ? ValueKind::kNull
                             : column->is_integer(row) ? ValueKind::kNumber
                                                       : ValueKind::kString,
                     .text_bytes = texts_[name].size()};
  }
  const ChosenFields chosen = table_.choose(values_);
  if (!judge_fields(chosen, values_, max_document_bytes_) && emit_as_it_is(chosen, place, sink)) return;
  emit_repaired(chosen, place, sink);
}

// Returns false, and emits nothing, if a field is broken UTF-8 or too long to be handed out whole.
bool ArrowRowsParser::emit_as_it_is(const ChosenFields& chosen, const SourcePlace& place, DocumentSink& sink) const {
  DocumentFields fields;
  const auto take = [&](std::size_t name, std::string_view& text, bool& is_there) {
    is_there = name != FieldTable::kNoName;
    if (is_there) text = texts_[name];
    return text.size() <= kMaxFieldBytes && is_valid_utf8(text);
  };
  fields.id = texts_[chosen.id];
  if (!is_valid_utf8(fields.id) || !take(chosen.title, fields.title, fields.has_title) ||
      !take(chosen.url, fields.url, fields.has_url) || !take(chosen.date, fields.date, fields.has_date)) {
    return false;
  }
  const std::string_view text = chosen.text == FieldTable::kNoName ? std::string_view() : texts_[chosen.text];
  if (!is_valid_utf8(text)) return false;
  sink.begin(fields, place);
  if (chosen.text != FieldTable::kNoName) sink.text(text);
  sink.end();
  return true;
}

// Judges the lengths after the repair, as those of other formats are.
void ArrowRowsParser::emit_repaired(const ChosenFields& chosen, const SourcePlace& place, DocumentSink& sink) {
  bool repaired = false;
  for (const std::size_t name : {chosen.id, chosen.title, chosen.text, chosen.url, chosen.date}) {
    if (name == FieldTable::kNoName) continue;
    TextCounter counter;
    Utf8Repairer repairer;
    repairer.feed(texts_[name], counter);
    repairer.finish(counter);
    values_[name].text_bytes = counter.bytes();
    repaired = repaired || repairer.repaired();
  }
  if (const auto verdict = judge_fields(chosen, values_, max_document_bytes_)) {
    sink.skip(verdict->reason, place, verdict->detail);
    return;
  }
  document_.emit(
      chosen, values_, repaired, place,
      [&](std::size_t name, TextOutput& out) {
        if (name == FieldTable::kNoName) return;
        Utf8Repairer repairer;
        repairer.feed(texts_[name], out);
        repairer.finish(out);
      },
      sink);
}

}  // namespace spillway
