#include "corpora/records/tsv.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMostColumns = 100;

// The number of a column, from 1; 0 if `name` is not one.
std::size_t column_number(std::string_view name) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (name.starts_with('0')) return 0;
  return error != std::errc() || end != name.data() + name.size() || number > kMostColumns ? 0 : number;
}

std::vector<const std::vector<std::string>*> lists_of(const FieldNames& fields) {
  return {&fields.id, &fields.title, &fields.text, &fields.url, &fields.date};
}

bool any_named(const FieldNames& fields) {
  const auto lists = lists_of(fields);
  return std::any_of(lists.begin(), lists.end(), [](const auto* list) { return !list->empty(); });
}

std::size_t most_named(const FieldNames& fields) {
  std::size_t most = 0;
  for (const auto* list : lists_of(fields)) {
    for (const std::string& name : *list) most = std::max(most, column_number(name));
  }
  return most;
}

}  // namespace

void check_tsv_fields(const FieldNames& fields) {
  if (!any_named(fields)) return;
  const char* const options[] = {"--id-field", "--title-field", "--text-field", "--url-field", "--date-field"};
  const auto lists = lists_of(fields);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const std::string& name : *lists[i]) {
      if (column_number(name) != 0) continue;
      throw UsageError(std::string(options[i]) + " '" + printable(name) +
                       "': with --format tsv, expected the number of a column, from 1 to " +
                       std::to_string(kMostColumns));
    }
  }
  if (fields.id.empty() || (fields.title.empty() && fields.text.empty())) {
    throw UsageError(
        "--format tsv with columns by number needs --id-field and --text-field (or --title-field); give both, or none "
        "for id and text, or id, title and text");
  }
}

TsvParser::TsvParser(const CorpusOptions& options, FieldedDocument& document)
    : named_(any_named(options.tsv_fields)),
      table_(options.tsv_fields),
      most_named_(most_named(options.tsv_fields)),
      max_document_bytes_(options.max_document_bytes),
      columns_(std::max<std::size_t>(3, most_named_)),
      named_values_(table_.name_count()),
      document_(document) {}

std::size_t TsvParser::memory_bytes() { return 2 * kMostColumns * sizeof(FieldValue); }

void TsvParser::parse_block(std::string_view block, const RecordPlace& place, DocumentSink& sink) {
  for (std::size_t begin = 0; begin < block.size();) {
    const std::size_t newline = block.find('\n', begin);
    std::size_t end = newline == std::string_view::npos ? block.size() : newline;
    if (newline != std::string_view::npos && end > begin && block[end - 1] == '\r') --end;
    MemoryRecord record(block.substr(begin, end - begin));
    parse_long(record, {place.path, place.offset + begin}, sink);
    begin = newline == std::string_view::npos ? block.size() : newline + 1;
  }
}

void TsvParser::parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) {
  if (!find_columns(record, place, sink)) return;
  measure(record);
  const ChosenFields chosen = choose();
  if (const auto verdict = judge_fields(chosen, named_ ? named_values_ : columns_, max_document_bytes_)) {
    sink.skip(verdict->reason, place.at(), verdict->detail);
    return;
  }
  document_.emit(
      chosen, named_ ? named_values_ : columns_, repaired_, place.at(),
      [&](std::size_t column, TextOutput& out) { send_text(record, column, out); }, sink);
}

// Returns false if the record was skipped.
bool TsvParser::find_columns(RecordSource& record, const RecordPlace& place, DocumentSink& sink) {
  std::fill(columns_.begin(), columns_.end(), FieldValue{});
  column_count_ = 0;
  std::uint64_t begin = 0, at = 0;
  std::optional<std::uint64_t> nul;
  const auto end_column = [&](std::uint64_t end) {
    if (column_count_ < columns_.size()) {
      columns_[column_count_].kind = ValueKind::kString;
      columns_[column_count_].begin = begin;
      columns_[column_count_].end = end;
    }
    ++column_count_;
    begin = end + 1;
  };
  record.visit(0, record.size(), [&](std::string_view fragment) {
    const void* found = nul || fragment.empty() ? nullptr : std::memchr(fragment.data(), '\0', fragment.size());
    if (found != nullptr) nul = at + static_cast<std::uint64_t>(static_cast<const char*>(found) - fragment.data());
    for (std::size_t tab = fragment.find('\t'); tab != std::string_view::npos; tab = fragment.find('\t', tab + 1)) {
      end_column(at + tab);
    }
    at += fragment.size();
  });
  end_column(record.size());
  if (nul) {
    sink.skip(SkipReason::kBadColumns, place.at(*nul), "expected text, found a NUL byte");
    return false;
  }
  if (has_good_columns()) return true;
  sink.skip(SkipReason::kBadColumns, place.at(),
            "expected " + (named_ ? "at least " + std::to_string(most_named_) + " columns" : "2 or 3 columns") +
                " with tabs between them, found " + std::to_string(column_count_));
  return false;
}

bool TsvParser::has_good_columns() const {
  return named_ ? column_count_ >= most_named_ : column_count_ == 2 || column_count_ == 3;
}

// Measures the text of each column that is used, repaired.
void TsvParser::measure(RecordSource& record) {
  repaired_ = false;
  for (FieldValue& column : columns_) {
    if (column.kind == ValueKind::kAbsent) continue;
    Utf8Repairer repairer;
    TextCounter out;
    record.visit(column.begin, column.end, [&](std::string_view fragment) { repairer.feed(fragment, out); });
    repairer.finish(out);
    repaired_ = repaired_ || repairer.repaired();
    column.text_bytes = out.bytes();
  }
  for (std::size_t i = 0; named_ && i < most_named_; ++i) {
    const std::size_t name = table_.find(std::to_string(i + 1));
    if (name != FieldTable::kNoName) named_values_[name] = columns_[i];
  }
}

ChosenFields TsvParser::choose() const {
  if (named_) return table_.choose(named_values_);
  constexpr std::size_t kNone = FieldTable::kNoName;
  return column_count_ == 2 ? ChosenFields{0, kNone, 1, kNone, kNone} : ChosenFields{0, 1, 2, kNone, kNone};
}

void TsvParser::send_text(RecordSource& record, std::size_t column, TextOutput& out) {
  if (column == FieldTable::kNoName) return;
  const FieldValue& value = named_ ? named_values_[column] : columns_[column];
  Utf8Repairer repairer;
  record.visit(value.begin, value.end, [&](std::string_view fragment) { repairer.feed(fragment, out); });
  repairer.finish(out);
}

}  // namespace spillway
