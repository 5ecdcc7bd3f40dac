#include "corpora/records/trec.hpp"

#include <algorithm>
#include <cctype>

#include "corpora/sgml/text.hpp"

namespace spillway {

namespace {

FieldNames in_lower_case(FieldNames names) {
  for (auto* list : {&names.id, &names.title, &names.text, &names.url, &names.date}) {
    for (std::string& name : *list) {
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    }
  }
  return names;
}

// The second pass over a record: turns its characters into text, without those of fields. If text elements are named,
// takes only their characters.
class TrecText final : public SgmlHandler {
 public:
  struct Choice {
    std::vector<TrecLayout::Element> fields;
    const std::vector<std::string>& text_names;
  };
  TrecText(const Choice& choice, TextOutput& out) : choice_(choice), text_(out) {}

  void characters(std::string_view bytes, std::uint64_t offset) override {
    if (offset >= skip_until_ && (choice_.text_names.empty() || !inside_.empty())) text_.feed(bytes);
  }
  void tag(const SgmlTag& tag) override {
    text_.separate();
    for (const TrecLayout::Element& field : choice_.fields) {
      if (field.begin == tag.end) skip_until_ = std::max(skip_until_, field.end);
    }
    if (tag.is_end && tag.name == inside_) {
      inside_.clear();
    } else if (!tag.is_end && inside_.empty() && is_text(tag.name)) {
      inside_ = tag.name;
    }
  }
  SgmlText& text() { return text_; }

 private:
  bool is_text(std::string_view name) const {
    return std::find(choice_.text_names.begin(), choice_.text_names.end(), name) != choice_.text_names.end();
  }
  const Choice& choice_;
  SgmlText text_;
  std::uint64_t skip_until_ = 0;
  std::string inside_;  // name of the text element; empty: outside
};

// Replaces all white space by single spaces, because fields are single lines.
class OneLine final : public TextOutput {
 public:
  explicit OneLine(TextOutput& out) : out_(out) {}
  void append(std::string_view fragment) override {
    constexpr std::string_view kSpaces = " \t\r\n\f\v";
    while (!fragment.empty()) {
      const std::size_t spaces = std::min(fragment.find_first_not_of(kSpaces), fragment.size());
      if (spaces > 0) {
        if (!ends_in_space_) out_.append(" ");
        ends_in_space_ = true;
        fragment.remove_prefix(spaces);
        continue;
      }
      const std::size_t word = std::min(fragment.find_first_of(kSpaces), fragment.size());
      out_.append(fragment.substr(0, word));
      ends_in_space_ = false;
      fragment.remove_prefix(word);
    }
  }

 private:
  TextOutput& out_;
  bool ends_in_space_ = false;
};

void scan(RecordSource& record, std::uint64_t begin, std::uint64_t end, SgmlHandler& handler) {
  SgmlScanner scanner(handler, begin);
  record.visit(begin, end, [&](std::string_view fragment) { scanner.feed(fragment); });
  scanner.finish();
}

}  // namespace

TrecParser::TrecParser(const CorpusOptions& options, FieldedDocument& document)
    : table_(in_lower_case(options.trec_fields)),
      text_names_(in_lower_case(options.trec_fields).text),
      max_document_bytes_(options.max_document_bytes),
      layout_(table_),
      document_(document) {}

std::size_t TrecParser::memory_bytes() { return (std::size_t{6} << 10); }

void TrecParser::parse_block(std::string_view block, const RecordPlace& place, DocumentSink& sink) {
  for (std::size_t begin = 0; begin < block.size();) {
    const std::size_t border = borders_.find(block, begin + 1);
    const std::size_t end = std::min(border, block.size());
    MemoryRecord record(block.substr(begin, end - begin));
    parse_long(record, {place.path, place.offset + begin, place.is_last && end == block.size()}, sink);
    begin = end;
  }
}

void TrecParser::parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) {
  if (record.size() > longest_record_bytes(max_document_bytes_)) {
    sink.skip(SkipReason::kDocumentTooLong, place.at(), document_too_long_detail(record.size(), max_document_bytes_));
    return;
  }
  layout_.reset();
  scan(record, 0, record.size(), layout_);
  if (layout_.is_document()) parse_document(record, place, sink);
  if (layout_.outside()) {
    sink.skip(SkipReason::kOutsideDocument, place.at(*layout_.outside()),
              "expected <DOC>, found text outside of any document");
  }
}

void TrecParser::parse_document(RecordSource& record, const RecordPlace& place, DocumentSink& sink) {
  if (!layout_.has_end() && place.is_last) {
    sink.skip(SkipReason::kDocumentTruncated, place.at(), "expected </DOC>, found the end of the input");
    return;
  }
  std::vector<FieldValue> values(table_.name_count() + 1);
  for (std::size_t name = 0; name < table_.name_count(); ++name) {
    if (layout_.elements()[name].is_there) values[name].kind = ValueKind::kString;
  }
  ChosenFields chosen = table_.choose(values);
  if (text_names_.empty() || chosen.text != FieldTable::kNoName) chosen.text = table_.name_count();
  repaired_ = !layout_.has_end();
  values = measure(record, chosen);
  if (const auto verdict = judge_fields(chosen, values, max_document_bytes_)) {
    sink.skip(verdict->reason, place.at(), verdict->detail);
    return;
  }
  document_.emit(
      chosen, values, repaired_, place.at(),
      [&](std::size_t name, TextOutput& out) { send_text(record, name, chosen, out); }, sink);
}

// Measures the text of every chosen field, resolved and repaired.
std::vector<FieldValue> TrecParser::measure(RecordSource& record, const ChosenFields& chosen) {
  std::vector<FieldValue> values(table_.name_count() + 1);
  for (const std::size_t name : {chosen.id, chosen.title, chosen.text, chosen.url, chosen.date}) {
    if (name == FieldTable::kNoName) continue;
    TextCounter out;
    send_text(record, name, chosen, out);
    values[name].kind = ValueKind::kString;
    values[name].text_bytes = out.bytes();
  }
  return values;
}

void TrecParser::send_text(RecordSource& record, std::size_t name, const ChosenFields& chosen, TextOutput& out) {
  if (name == FieldTable::kNoName) return;
  const bool is_text = name == table_.name_count();
  const std::vector<std::string> no_names;
  TrecText::Choice choice{{}, is_text ? text_names_ : no_names};
  std::uint64_t begin = layout_.document_begin(), end = layout_.document_end().value_or(record.size());
  if (is_text) {
    for (const std::size_t field : {chosen.id, chosen.title, chosen.url, chosen.date}) {
      if (field != FieldTable::kNoName) choice.fields.push_back(layout_.elements()[field]);
    }
  } else {
    begin = layout_.elements()[name].content_begin;
    end = layout_.elements()[name].content_end;
  }
  OneLine line(out);
  TrecText text(choice, is_text ? out : line);
  scan(record, begin, end, text);
  text.text().finish();
  repaired_ = repaired_ || text.text().repaired();
}

}  // namespace spillway
