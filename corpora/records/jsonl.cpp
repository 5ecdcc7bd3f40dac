#include "corpora/records/jsonl.hpp"

#include <algorithm>

namespace spillway {

namespace {

bool is_blank(std::string_view bytes) { return bytes.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

JsonlParser::JsonlParser(const CorpusOptions& options, std::span<char> scratch, FieldedDocument& document)
    : table_(options.fields),
      fast_(table_),
      scanner_(table_),
      max_document_bytes_(options.max_document_bytes),
      scratch_(scratch),
      document_(document) {}

std::size_t JsonlParser::memory_bytes() { return (std::size_t{2} << 10); }

void JsonlParser::parse_block(std::string_view block, const RecordPlace& place, DocumentSink& sink) {
  rest_is_valid_.reset();
  for (std::size_t begin = 0; begin < block.size();) {
    const std::string_view rest = block.substr(begin);
    const RecordPlace record_place{place.path, place.offset + begin};
    std::size_t bytes = parse_fast(rest, record_place, sink);
    if (bytes == 0) {
      bytes = std::min(rest.find('\n'), rest.size());
      MemoryRecord source(rest.substr(0, bytes));
      parse_long(source, record_place, sink);
    }
    begin += bytes + 1;
  }
}

void JsonlParser::parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) {
  if (record.size() > longest_record_bytes(max_document_bytes_)) {
    sink.skip(SkipReason::kDocumentTooLong, place.at(), document_too_long_detail(record.size(), max_document_bytes_));
    return;
  }
  parse_slow(record, place, sink);
}

std::size_t JsonlParser::parse_fast(std::string_view bytes, const RecordPlace& place, DocumentSink& sink) {
  const std::size_t record_bytes = fast_.parse(bytes, scratch_.data(), sink.word_packer()).value_or(0);
  if (record_bytes > longest_record_bytes(max_document_bytes_)) return 0;
  if (fast_.may_have_high_bytes() && !is_valid_start(bytes, record_bytes)) return 0;
  return record_bytes != 0 && take_fast(place, sink) ? record_bytes : 0;
}

// Checks the rest of the block at once, because a call for each short record takes longer.
bool JsonlParser::is_valid_start(std::string_view bytes, std::size_t record_bytes) {
  if (!rest_is_valid_) rest_is_valid_ = is_valid_utf8(bytes);
  return *rest_is_valid_ || is_valid_utf8(bytes.substr(0, record_bytes));
}

bool JsonlParser::take_fast(const RecordPlace& place, DocumentSink& sink) {
  const auto values = fast_.values();
  const ChosenFields chosen = table_.choose(values);
  // Packed texts count escapes whole: the scanner judges them again.
  if (judge_fields(chosen, values, max_document_bytes_)) return false;
  DocumentFields fields;
  // Takes a field if it is present. Returns false if it is too long to be handed out whole.
  const auto take = [&](std::size_t name, std::string_view& text, bool& is_there) {
    is_there = name != FieldTable::kNoName;
    if (is_there) text = fast_.text(name);
    return text.size() <= kMaxFieldBytes;
  };
  fields.id = fast_.text(chosen.id);
  if (!take(chosen.title, fields.title, fields.has_title) || !take(chosen.url, fields.url, fields.has_url) ||
      !take(chosen.date, fields.date, fields.has_date)) {
    return false;
  }
  sink.begin(fields, place.at());
  if (chosen.text != FieldTable::kNoName) fast_.send_text(chosen.text, sink);
  sink.end();
  return true;
}

void JsonlParser::parse_slow(RecordSource& record, const RecordPlace& place, DocumentSink& sink) {
  scanner_.reset();
  bool blank = true;
  record.visit(0, record.size(), [&](std::string_view fragment) {
    blank = blank && is_blank(fragment);
    if (scanner_.good()) scanner_.feed(fragment);
  });
  if (blank) return;
  if (!scanner_.finish()) {
    sink.skip(SkipReason::kBadJson, place.at(scanner_.error_offset()), scanner_.error_detail());
    return;
  }
  const ChosenFields chosen = table_.choose(scanner_.values());
  if (const auto verdict = judge_fields(chosen, scanner_.values(), max_document_bytes_)) {
    sink.skip(verdict->reason, place.at(), verdict->detail);
    return;
  }
  document_.emit(
      chosen, scanner_.values(), scanner_.repaired(), place.at(),
      [&](std::size_t name, TextOutput& out) { send_text(record, name, out); }, sink);
}

void JsonlParser::send_text(RecordSource& record, std::size_t name, TextOutput& out) {
  if (name == FieldTable::kNoName) return;
  const FieldValue& value = scanner_.values()[name];
  if (value.kind == ValueKind::kNumber) {
    record.visit(value.begin, value.end, [&](std::string_view fragment) { out.append(fragment); });
    return;
  }
  JsonStringDecoder decoder;
  record.visit(value.begin, value.end, [&](std::string_view fragment) { decoder.feed(fragment, out); });
  decoder.finish(out);
}

}  // namespace spillway
