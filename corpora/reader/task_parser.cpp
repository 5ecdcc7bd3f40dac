#include <algorithm>
#include <variant>

#include "corpora/reader/corpus_reader.hpp"
#include "corpora/reader/corpus_reader_state.hpp"
#include "corpora/reader/plain_range.hpp"
#include "corpora/records/jsonl.hpp"
#include "corpora/records/lines.hpp"
#include "corpora/records/text.hpp"
#include "corpora/records/trec.hpp"
#include "corpora/records/tsv.hpp"

namespace spillway {

namespace {

constexpr std::size_t kSmallestWindow = 64;

std::size_t window_bytes(const ReaderLimits& limits) {
  return std::max(limits.window_bytes, kSmallestWindow) + kJsonPadding;
}

// Of the parsers of all formats.
std::size_t parser_bytes() {
  return FieldedDocument::memory_bytes() + JsonlParser::memory_bytes() + TrecParser::memory_bytes() +
         TsvParser::memory_bytes();
}

std::span<char> as_chars(std::span<std::uint8_t> bytes) {
  return {reinterpret_cast<char*>(bytes.data()), bytes.size()};
}

}  // namespace

struct TaskParser::State {
  State(CorpusReader::State& reader_state, MemoryBudget& budget)
      : reader(reader_state),
        own_memory(budget.reserve(parser_bytes(), "parsing")),
        window(budget, window_bytes(reader.limits), "parsing"),
        scratch(budget, window_bytes(reader.limits), "parsing"),
        document(as_chars(scratch.span())),
        jsonl(reader.options, as_chars(scratch.span()), document),
        trec(reader.options, document),
        tsv(reader.options, document),
        lines(reader.options.max_document_bytes, as_chars(scratch.span())),
        text(reader.options.max_document_bytes, as_chars(scratch.span())) {}

  RecordParser& parser(CorpusFormat format) {
    if (format == CorpusFormat::kTrec) return trec;
    if (format == CorpusFormat::kTsv) return tsv;
    return format == CorpusFormat::kJsonl ? static_cast<RecordParser&>(jsonl) : lines;
  }

  void parse(const PlainRange& range, DocumentSink& sink);
  std::uint64_t parse_long(const PlainRange& range, std::uint64_t begin, DocumentSink& sink);
  static std::uint64_t newline_bytes(const PlainRange& range, std::uint64_t begin, std::uint64_t end);
  void parse(const TextFiles& files, DocumentSink& sink);
  void parse_file(const CorpusFile& file, DocumentSink& sink);
  void parse(UnpackedRecords& records, DocumentSink& sink);
  void parse_spooled(UnpackedRecords& records, DocumentSink& sink);

  CorpusReader::State& reader;
  Reservation own_memory;
  Buffer window, scratch;
  FieldedDocument document;
  JsonlParser jsonl;
  TrecParser trec;
  TsvParser tsv;
  LineParser lines;
  TextParser text;
};

void TaskParser::State::parse(const PlainRange& range, DocumentSink& sink) {
  PlainRangeReader records(range, window.span());
  std::uint64_t reported = range.begin;
  // What is read beyond the range's end belongs to the next task's figure.
  const auto report = [&](std::uint64_t position) {
    const std::uint64_t done = std::clamp(position, reported, range.end);
    sink.consumed(done - reported);
    reported = done;
  };
  while (const auto block = records.next()) {
    if (block->bytes.empty()) {
      const std::uint64_t next = parse_long(range, block->offset, sink);
      records.skip_to(next);
      report(next);
    } else {
      parser(range.file->format)
          .parse_block(block->bytes,
                       {range.file->path, block->offset, block->offset + block->bytes.size() == range.file->size},
                       sink);
      report(block->offset + block->bytes.size());
    }
  }
  report(range.end);
}

// Returns where the next record starts.
std::uint64_t TaskParser::State::parse_long(const PlainRange& range, std::uint64_t begin, DocumentSink& sink) {
  const std::uint64_t next = find_next_record(range, begin, window.span(), sink);
  FileRecord record(*range.bytes, begin, next - newline_bytes(range, begin, next), window.span(), sink);
  parser(range.file->format).parse_long(record, {range.file->path, begin, next == range.file->size}, sink);
  return next;
}

// Of the newline that ends a record, with its CR where that is no part of the record.
std::uint64_t TaskParser::State::newline_bytes(const PlainRange& range, std::uint64_t begin, std::uint64_t end) {
  if (!RecordBorders(range.file->format).are_newlines()) return 0;
  const auto byte_is = [&](std::uint64_t offset, char expected) {
    std::uint8_t byte = 0;
    if (offset < begin) return false;
    range.bytes->read_exactly(offset, {&byte, 1});
    return byte == static_cast<std::uint8_t>(expected);
  };
  if (end == begin || !byte_is(end - 1, '\n')) return 0;
  return range.file->format != CorpusFormat::kJsonl && end - begin > 1 && byte_is(end - 2, '\r') ? 2 : 1;
}

void TaskParser::State::parse(const TextFiles& files, DocumentSink& sink) {
  for (std::size_t i = files.first; i < files.last; ++i) {
    parse_file(reader.plan.files[i], sink);
    sink.consumed(reader.plan.files[i].size);
  }
}

void TaskParser::State::parse_file(const CorpusFile& file, DocumentSink& sink) {
  const auto bytes = reader.files.open(file.path);
  if (file.size <= window.size()) {
    const auto held = window.span().first(static_cast<std::size_t>(file.size));
    bytes->read_exactly(0, held);
    MemoryRecord record({reinterpret_cast<const char*>(held.data()), held.size()});
    text.parse(record, file.id, file.path, sink);
  } else {
    FileRecord record(*bytes, 0, file.size, window.span(), sink);
    text.parse(record, file.id, file.path, sink);
  }
}

void TaskParser::State::parse(UnpackedRecords& records, DocumentSink& sink) {
  const RecordPlace place{records.file->path, records.unpacked_offset, records.ends_input};
  if (records.spooled_bytes > 0) {
    parse_spooled(records, sink);
  } else if (records.bytes > 0) {
    const auto held = records.window.span().first(records.bytes);
    const std::string_view bytes(reinterpret_cast<const char*>(held.data()), held.size());
    if (records.format == CorpusFormat::kText) {
      MemoryRecord record(bytes);
      text.parse(record, records.file->id, records.file->path, sink);
    } else {
      parser(records.format).parse_block(bytes, place, sink);
    }
  }
  for (const ContainerFault& fault : records.faults) {
    sink.skip(fault.reason, {records.file->path, fault.unpacked_offset}, fault.detail);
  }
  sink.consumed(records.stored_bytes);
}

void TaskParser::State::parse_spooled(UnpackedRecords& records, DocumentSink& sink) {
  const RecordPlace place{records.file->path, records.unpacked_offset, records.ends_input};
  if (records.spooled == nullptr) {
    sink.skip(SkipReason::kDocumentTooLong, place.at(),
              document_too_long_detail(records.spooled_bytes, reader.options.max_document_bytes));
    return;
  }
  const ReadableFile& bytes = records.spooled->finish();
  FileRecord record(bytes, 0, records.spooled_bytes, window.span(), sink);
  if (records.format == CorpusFormat::kText) {
    text.parse(record, records.file->id, records.file->path, sink);
  } else {
    parser(records.format).parse_long(record, place, sink);
  }
}

TaskParser::TaskParser(CorpusReader& reader, MemoryBudget& budget)
    : state_(std::make_unique<State>(*reader.state_, budget)) {}

TaskParser::~TaskParser() = default;

std::size_t TaskParser::memory_bytes(const CorpusPlan&, const ReaderLimits& limits) {
  return 2 * window_bytes(limits) + parser_bytes();
}

void TaskParser::parse(const CorpusTask& task, DocumentSink& sink) {
  std::visit([&](auto& work) { state_->parse(work, sink); }, task.content->work);
}

}  // namespace spillway
