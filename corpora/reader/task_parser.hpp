// Turns the tasks of a CorpusReader into calls of a DocumentSink: the last step from input files to documents.
#pragma once

#include <optional>

#include "corpora/arrow/rows_parser.hpp"
#include "corpora/document/fielded_document.hpp"
#include "corpora/reader/corpus_reader.hpp"
#include "corpora/records/jsonl.hpp"
#include "corpora/records/page.hpp"
#include "corpora/records/tar.hpp"
#include "corpora/records/text.hpp"
#include "corpora/records/trec.hpp"
#include "corpora/records/tsv.hpp"
#include "corpora/records/warc.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

// Not thread-safe: each thread has its own, over one reader.
class TaskParser {
 public:
  // Reserves memory_bytes() from `budget`. The reader must outlive the parser.
  TaskParser(const CorpusReader& reader, MemoryBudget& budget);
  // Two buffers of ReaderLimits::buffer_bytes or record_bytes, and the parsers of all formats.
  static std::size_t memory_bytes(const ReaderLimits& limits);

  // Calls the sink for every record of the task, in order. Throws IoError (a file that shrank, a read error) and what
  // the sink throws.
  void parse(CorpusTask& task, DocumentSink& sink);

 private:
  RecordParser& parser_of(CorpusFormat format);
  ArchiveParser& archive_parser(CorpusFormat format);
  PageParser& page_parser();
  void parse_whole(RecordSource& record, const CorpusFile& file, CorpusFormat format, DocumentSink& sink);
  void parse(const PlainRange& range, DocumentSink& sink);
  std::uint64_t parse_long(const PlainRange& range, std::uint64_t begin, PassProgress& progress, DocumentSink& sink);
  void parse(const PlainFiles& files, DocumentSink& sink);
  void parse_file(const CorpusFile& file, PassProgress& progress, DocumentSink& sink);
  void parse(UnpackedRecords& records, DocumentSink& sink);
  void parse(const ArrowTask& task, DocumentSink& sink);
  void parse_held(UnpackedRecords& records, DocumentSink& sink);
  void parse_archived(UnpackedRecords& records, PassProgress& progress, DocumentSink& sink);
  void parse_spooled(UnpackedRecords& records, PassProgress& progress, DocumentSink& sink);

  const ReaderSetup& setup_;
  DecoderAllowance& decoders_;
  Reservation own_memory_;
  Buffer buffer_, scratch_;
  std::uint64_t file_ = 0;  // of the task, if it is of one file that the reader unpacks
  FieldedDocument document_;
  JsonlParser jsonl_;
  TrecParser trec_;
  TsvParser tsv_;
  LineParser lines_;
  TextParser text_;
  ArrowRowsParser arrow_;
  MemoryBudget& budget_;
  std::optional<Reservation> warc_memory_, tar_memory_, page_memory_;
  std::optional<WarcParser> warc_;  // from the first record of an archive on
  std::optional<TarParser> tar_;    // from the first member of a tar file on
  std::optional<PageParser> page_;  // from the first page on
};

}  // namespace spillway
