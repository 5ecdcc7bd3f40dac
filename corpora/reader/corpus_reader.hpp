// From the INPUT arguments to documents: what there is to read (CorpusPlan), how it is cut into tasks for many threads
// (CorpusReader), and how one task becomes calls of a DocumentSink (TaskParser).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/document/sink.hpp"
#include "io/file/file_system.hpp"
#include "io/file/temp_space.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

enum class CorpusFormat : std::uint8_t { kAuto, kJsonl, kLines, kText, kTrec, kTsv };
inline constexpr std::size_t kCorpusFormatCount = 6;
std::string_view corpus_format_name(CorpusFormat format);  // as --format has it
enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

// JSON member names, names of trec elements (in lower case) or numbers of tsv columns, from 1: the first that a record
// has counts.
struct FieldNames {
  std::vector<std::string> id{"id", "docid", "_id"};
  std::vector<std::string> title{"title"};
  std::vector<std::string> text{"text", "contents", "content", "body"};
  std::vector<std::string> url{"url"};
  std::vector<std::string> date{"date"};
};

struct CorpusOptions {
  CorpusFormat format = CorpusFormat::kAuto;
  FieldNames fields;  // jsonl
  // Of a trec document everything is text that is no other field, unless elements with text are named.
  FieldNames trec_fields{{"docno"}, {"title", "headline", "hl", "head"}, {}, {"url"}, {"date"}};
  // Without any: id and text, or id, title and text, by the number of columns.
  FieldNames tsv_fields{{}, {}, {}, {}, {}};
  // Longer documents are skipped: bytes of a line, of a file, or of a record's title and text together.
  std::uint64_t max_document_bytes = std::uint64_t{64} << 20;
  std::uint32_t part_number = 1, part_count = 1;  // --part I/N
};

// One file (or stream) of the input, in input order.
struct CorpusFile {
  std::string path;        // to open; "-" is standard input
  std::string id;          // `text` format: the path relative to the INPUT given
  std::uint64_t size = 0;  // bytes as stored; 0 for streams
  std::int64_t modified_ns = 0;
  // Decided; kAuto for streams and compressed files, until they are opened.
  CorpusFormat format = CorpusFormat::kAuto;
  Compression compression = Compression::kNone;
  bool is_stream = false;            // standard input, FIFO
  std::uint64_t begin = 0, end = 0;  // the bytes that belong to this part (records that start in them)
  std::uint64_t unpack_bytes = 0;    // memory that unpacking takes, as the file's start tells
};

struct CorpusPlan {
  std::vector<CorpusFile> files;
  std::uint64_t total_bytes = 0;  // of this part, as stored
};

// Expands directories (recursive, byte order of the relative path, hidden entries and links not followed), lists
// (@FILE: a path a line) and "-"; recognises formats and compression by content. Throws UsageError: missing file, no
// input at all, device, part out of range, --part with streams; BudgetError: a zstd window above 2^27.
CorpusPlan plan_corpus(FileSystem& files, const std::vector<std::string>& inputs, const CorpusOptions& options);

// Throws IoError naming the first file whose size or time of modification is not what it was when planned.
void check_unchanged(FileSystem& files, const CorpusPlan& plan);

// A piece of work: records of a plain file, several small files, or records already unpacked. Opaque to all but
// TaskParser.
struct CorpusTask {
  std::uint64_t number = 0;  // in input order, without gaps
  struct Content;
  std::shared_ptr<Content> content;
};

struct ReaderLimits {
  std::size_t task_bytes = std::size_t{8} << 20;  // plain input a task covers
  std::size_t window_bytes = std::size_t{1}
                             << 20;  // the longest record that is held in memory; longer ones are streamed
  unsigned threads = 1;
  std::size_t unpack_bytes = 0;  // kept at least for windows of zstd frames that no file's start tells of
};

// Hands out tasks in input order. next() is thread-safe. A reader thread of its own unpacks compressed files and reads
// streams. There are 2 * threads + 1 windows of window_bytes for it, and a task holds one until it is destroyed: a
// caller keeps at most `threads` tasks at a time.
class CorpusReader {
 public:
  // Memory of the reader itself (unpacked windows waiting, zlib or zstd state) is reserved from `budget`; long records
  // of streams are spooled to `temp`. All arguments live longer.
  CorpusReader(FileSystem& files, const CorpusPlan& plan, const CorpusOptions& options, const ReaderLimits& limits,
               MemoryBudget& budget, TempSpace& temp);
  ~CorpusReader();
  static std::size_t memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits);

  // False at the end of the input. Throws what the reader thread met (IoError, BudgetError for a zstd window).
  bool next(CorpusTask& task);
  // Makes all waiting and later next() calls return false.
  void stop();

 private:
  friend class TaskParser;
  struct State;
  std::unique_ptr<State> state_;
};

// Parses tasks; one per thread, memory window-sized and reserved at construction.
class TaskParser {
 public:
  TaskParser(CorpusReader& reader, MemoryBudget& budget);
  ~TaskParser();
  static std::size_t memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits);

  // Calls the sink for every record of the task, in order. Throws IoError (a file that shrank, a read error) or what
  // the sink throws.
  void parse(const CorpusTask& task, DocumentSink& sink);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
