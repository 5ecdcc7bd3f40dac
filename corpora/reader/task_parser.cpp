#include "corpora/reader/task_parser.hpp"

#include <algorithm>

#include "corpora/reader/plain_range.hpp"

namespace spillway {

namespace {

std::size_t padded_buffer_bytes(const ReaderLimits& limits) {
  constexpr std::size_t kLeastBytes = 64;
  return std::max({limits.buffer_bytes, limits.record_bytes, kLeastBytes}) + kRecordPadding;
}

// The long buffers of a plan with much memory are used only as far as records are long.
Buffer make_buffer(const ReaderLimits& limits, MemoryBudget& budget) {
  constexpr std::size_t kLargePageBytes = std::size_t{2} << 20;
  Buffer buffer(budget, padded_buffer_bytes(limits), "parsing");
  if (buffer.size() > kLargePageBytes) buffer.use_large_pages();
  return buffer;
}

std::size_t parsers_bytes() {
  return FieldedDocument::memory_bytes() + JsonlParser::memory_bytes() + TrecParser::memory_bytes() +
         TsvParser::memory_bytes();
}

std::span<char> as_chars(std::span<std::uint8_t> bytes) {
  return {reinterpret_cast<char*>(bytes.data()), bytes.size()};
}

std::string_view as_text(std::span<std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// How often a parser reads a long record: to judge it, to measure its fields (formats with elements or columns), and to
// hand out its text.
double passes_over(CorpusFormat format) {
  return format == CorpusFormat::kTrec || format == CorpusFormat::kTsv ? 3 : 2;
}

// Where the first record of a part begins that has none in its first range; the part's end if it has none at all.
std::uint64_t first_record_of_part(const PlainRange& range, std::span<std::uint8_t> buffer) {
  PlainRange part = range;
  part.end = range.file->end;
  return PlainRangeReader(part, buffer).first_record().value_or(part.end);
}

RecordPlace place_of(const UnpackedRecords& records) {
  return {records.file->path, records.unpacked_offset + records.skipped_bytes, records.ends_input};
}

// Length of the newline that ends the record [begin, end). A CR before it counts, except in jsonl, where it is part of
// the record.
std::uint64_t newline_bytes(const PlainRange& range, std::uint64_t begin, std::uint64_t end) {
  if (!RecordBorders(range.file->format).are_newlines()) return 0;
  const auto byte_is = [&](std::uint64_t offset, char expected) {
    std::uint8_t byte = 0;
    range.bytes->read_exactly(offset, {&byte, 1});
    return byte == static_cast<std::uint8_t>(expected);
  };
  if (end == begin || !byte_is(end - 1, '\n')) return 0;
  return range.file->format != CorpusFormat::kJsonl && end - begin > 1 && byte_is(end - 2, '\r') ? 2 : 1;
}

// Whether the fault hit the last record of an archive.
bool ends_in_cut_record(const UnpackedRecords& records) {
  return records.fault && !records.archived.empty() && records.archived.back().piece.kind == ArchivePiece::Kind::kCut;
}

}  // namespace

TaskParser::TaskParser(const CorpusReader& reader, MemoryBudget& budget)
    : setup_(reader.setup()),
      decoders_(reader.decoders()),
      own_memory_(budget.reserve(parsers_bytes(), "parsing")),
      buffer_(make_buffer(setup_.limits, budget)),
      scratch_(make_buffer(setup_.limits, budget)),
      document_(as_chars(scratch_.span())),
      jsonl_(setup_.options, as_chars(scratch_.span()), document_),
      trec_(setup_.options, document_),
      tsv_(setup_.options, document_),
      lines_(setup_.options.max_document_bytes, as_chars(scratch_.span())),
      text_(setup_.options.max_document_bytes, as_chars(scratch_.span())),
      arrow_(setup_.options, document_),
      budget_(budget) {}

std::size_t TaskParser::memory_bytes(const ReaderLimits& limits) {
  return 2 * padded_buffer_bytes(limits) + parsers_bytes();
}

void TaskParser::parse(CorpusTask& task, DocumentSink& sink) {
  file_ = task.end.file;
  std::visit([&](auto& work) { parse(work, sink); }, task.work);
}

RecordParser& TaskParser::parser_of(CorpusFormat format) {
  if (format == CorpusFormat::kTrec) return trec_;
  if (format == CorpusFormat::kTsv) return tsv_;
  return format == CorpusFormat::kJsonl ? static_cast<RecordParser&>(jsonl_) : lines_;
}

// Few inputs need them. Their memory counts as far as the budget has some left.
ArchiveParser& TaskParser::archive_parser(CorpusFormat format) {
  const auto scratch = as_chars(scratch_.span());
  if (format == CorpusFormat::kTar) {
    if (!tar_) {
      tar_memory_ = budget_.try_reserve(TarParser::memory_bytes(), "parsing");
      tar_.emplace(setup_.options, scratch);
    }
    return *tar_;
  }
  if (!warc_) {
    warc_memory_ = budget_.try_reserve(WarcParser::memory_bytes(), "parsing");
    warc_.emplace(setup_.options, scratch, decoders_, setup_.revisits);
  }
  return *warc_;
}

PageParser& TaskParser::page_parser() {
  if (!page_) {
    page_memory_ = budget_.try_reserve(PageParser::memory_bytes(), "parsing");
    page_.emplace(setup_.options.max_document_bytes, as_chars(scratch_.span()));
  }
  return *page_;
}

void TaskParser::parse_whole(RecordSource& record, const CorpusFile& file, CorpusFormat format, DocumentSink& sink) {
  if (format == CorpusFormat::kHtml) return page_parser().parse(record, file.id(), file.path, sink);
  text_.parse(record, file.id(), file.path, sink);
}

void TaskParser::parse(const PlainRange& range, DocumentSink& sink) {
  PlainRangeReader records(range, buffer_.span());
  const std::optional<std::uint64_t> first = records.first_record();
  const bool begins_part = range.begin == range.file->begin;
  // A record counts for the task that parses it; what precedes the first record of a part, for its first task.
  std::uint64_t reported = begins_part ? range.begin : first.value_or(range.end);
  const auto report = [&](std::uint64_t position) {
    const std::uint64_t done = std::clamp(position, reported, range.file->end);
    sink.consumed(done - reported);
    reported = done;
  };
  while (const auto block = records.next()) {
    std::uint64_t end = block->offset + block->bytes.size();
    if (block->bytes.empty()) {
      PassProgress progress(sink, 1 / (1 + passes_over(range.file->format)), range.file->end - reported);
      end = parse_long(range, block->offset, progress, sink);
      reported += progress.reported();
      records.skip_to(end);
    } else {
      const RecordPlace place{range.file->path, block->offset, end == range.file->size};
      parser_of(range.file->format).parse_block(block->bytes, place, sink);
    }
    report(end);
  }
  // A part may begin with the end of a long record, or hold a byte order mark and nothing else.
  std::uint64_t end = reported;
  if (begins_part) end = std::max(end, first ? *first : first_record_of_part(range, buffer_.span()));
  report(end);
}

// Returns where the next record starts.
std::uint64_t TaskParser::parse_long(const PlainRange& range, std::uint64_t begin, PassProgress& progress,
                                     DocumentSink& sink) {
  const std::uint64_t next = find_next_record(range, begin, buffer_.span(), progress);
  progress.limit(std::min(next, range.file->end) - begin);
  FileRecord record(*range.bytes, begin, next - newline_bytes(range, begin, next), buffer_.span(), progress);
  parser_of(range.file->format).parse_long(record, {range.file->path, begin, next == range.file->size}, sink);
  return next;
}

void TaskParser::parse(const PlainFiles& files, DocumentSink& sink) {
  FileTable::Cursor file = files.first;
  for (std::size_t i = 0; i < files.count; ++i, ++file) {
    if (is_document_a_file(file->format)) {
      PassProgress progress(sink, 1 / passes_over(file->format), file->size);
      parse_file(*file, progress, sink);
      sink.consumed(file->size - progress.reported());
    } else if (file->begin != file->end) {
      parse({std::make_shared<CorpusFile>(*file), setup_.files.open(file->path), file->begin, file->end}, sink);
    }
  }
}

void TaskParser::parse_file(const CorpusFile& file, PassProgress& progress, DocumentSink& sink) {
  const auto bytes = setup_.files.open(file.path);
  if (file.size <= buffer_.size()) {
    const auto held = buffer_.span().first(static_cast<std::size_t>(file.size));
    bytes->read_exactly(0, held);
    MemoryRecord record(as_text(held));
    parse_whole(record, file, file.format, sink);
  } else {
    FileRecord record(*bytes, 0, file.size, buffer_.span(), progress);
    parse_whole(record, file, file.format, sink);
  }
}

void TaskParser::parse(const ArrowTask& task, DocumentSink& sink) {
  for (const ArrowRows& rows : task.rows) arrow_.parse(rows, setup_.plan.arrow->name(), sink);
}

void TaskParser::parse(UnpackedRecords& records, DocumentSink& sink) {
  const double read_bytes = static_cast<double>(records.spooled_bytes) * passes_over(records.format);
  PassProgress progress(sink, static_cast<double>(records.stored_bytes) / std::max(read_bytes, 1.0),
                        records.stored_bytes);
  if (is_archive(records.format)) {
    parse_archived(records, progress, sink);
  } else if (records.spooled_bytes > 0) {
    parse_spooled(records, progress, sink);
  } else if (records.bytes > 0) {
    parse_held(records, sink);
  }
  if (records.fault) {
    SourcePlace place{records.file->path, records.fault->unpacked_offset};
    if (ends_in_cut_record(records)) place = archive_parser(records.format).cut_record(place);
    sink.skip(records.fault->reason, place, records.fault->detail);
  }
  sink.consumed(records.stored_bytes - progress.reported());
}

void TaskParser::parse_archived(UnpackedRecords& records, PassProgress& progress, DocumentSink& sink) {
  ArchiveParser& parser = archive_parser(records.format);
  parser.start({file_, records.base_offset});
  for (const ArchiveRecord& archived : records.archived) {
    const SourcePlace place{records.file->path, archived.unpacked_offset};
    if (records.spooled != nullptr) {
      FileRecord record(records.spooled->finish(), 0, records.spooled_bytes, buffer_.span(), progress);
      parser.parse(archived.piece, record, place, sink);
      continue;
    }
    const auto held = records.buffer->span().subspan(archived.begin, archived.bytes);
    MemoryRecord record(as_text(held), buffer_.size());  // shared records may be longer
    if (&archived == &records.archived.back() && ends_in_cut_record(records)) {
      parser.read_header(archived.piece, record);  // the fault counts it
    } else {
      parser.parse(archived.piece, record, place, sink);
    }
  }
}

void TaskParser::parse_held(UnpackedRecords& records, DocumentSink& sink) {
  const auto whole = records.buffer->span().first(records.bytes);
  const std::string_view bytes = as_text(whole.subspan(records.skipped_bytes));
  if (is_document_a_file(records.format)) {
    MemoryRecord record(bytes);
    parse_whole(record, *records.file, records.format, sink);
  } else {
    parser_of(records.format).parse_block(bytes, place_of(records), sink);
  }
}

void TaskParser::parse_spooled(UnpackedRecords& records, PassProgress& progress, DocumentSink& sink) {
  const RecordPlace place = place_of(records);
  if (records.spooled == nullptr) {
    sink.skip(SkipReason::kDocumentTooLong, place.at(),
              document_too_long_detail(records.spooled_bytes, setup_.options.max_document_bytes));
    return;
  }
  const ReadableFile& bytes = records.spooled->finish();
  FileRecord record(bytes, 0, records.spooled_bytes, buffer_.span(), progress);
  if (is_document_a_file(records.format)) {
    parse_whole(record, *records.file, records.format, sink);
  } else {
    parser_of(records.format).parse_long(record, place, sink);
  }
}

}  // namespace spillway
