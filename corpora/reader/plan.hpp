// Turns the INPUT arguments of a job into a list of files with their formats, compression and, for --part I/N, the
// share of each file. CorpusReader then cuts the plan into tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "corpora/document/corpus_options.hpp"
#include "corpora/reader/file_table.hpp"
#include "corpora/unpack/gzip_ahead.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

class ArrowStream;
class RevisitTable;

struct CorpusPlan {
  FileTable files;
  std::size_t list_bytes = 0;                    // memory for the lists of files, which planning needs and a job keeps
  std::uint64_t total_bytes = 0;                 // of this part, as stored
  std::uint64_t gzip_bytes = 0, zstd_bytes = 0;  // of it
  std::uint64_t largest_gzip_bytes = 0;          // of the longest gzip file
  std::size_t packed_files = 0, zstd_files = 0, zip_files = 0, streams = 0, archives = 0;
  std::size_t crawls = 0;              // files that are web archives, or may be: their start is packed or not read yet
  std::uint64_t unpack_bytes = 0;      // the most that a file asks for
  std::shared_ptr<ArrowStream> arrow;  // CorpusOptions::arrow; the only input if there is one
  std::optional<CorpusFile> largest;   // the plain file with the most bytes of this part

  // Appends a file.
  void add(const CorpusFile& file);
  // Whether any file needs_reader(). An Arrow stream has a reader of its own.
  bool needs_reader() const { return arrow == nullptr && packed_files + streams + archives != 0; }
};

// Expands directories (recursively, in byte order of the relative paths, without hidden entries and links), lists
// (@FILE: one path a line) and "-", and recognises formats and compression by content. Throws UsageError for a missing
// file, no input at all, a device, a part out of range, a Parquet or Arrow file, or --part with streams; BudgetError
// for a zstd window above 2^27 bytes. `check`, if set, is called for each file and while a list is waited for; it may
// throw to stop.
//
// If the lists of files do not fit `most_list_bytes`, the plan's table of files is not whole, and its list_bytes, which
// are above `most_list_bytes` then, say what would suffice.
CorpusPlan plan_corpus(FileSystem& files, const std::vector<std::string>& inputs, const CorpusOptions& options,
                       const std::function<void()>& check = {}, std::size_t most_list_bytes = FileTable::kNoMost);

// Throws IoError naming the first file whose size or modification time has changed since it was planned.
void check_unchanged(FileSystem& files, const CorpusPlan& plan);

struct ReaderLimits {
  std::size_t task_bytes = std::size_t{8} << 20;    // plain input that a task covers
  std::size_t buffer_bytes = std::size_t{1} << 20;  // the longest record held in memory; longer ones are streamed
  std::size_t record_bytes = 0;                     // the same for records of plain files and texts, if that is more
  std::size_t archive_bytes = 0;                    // of unpacked records of archives in a buffer, if that is more
  std::size_t arrow_bytes = 0;                      // of rows in a task of an Arrow stream, if that is more
  unsigned threads = 1;
  // The least memory kept for windows of zstd frames that the start of a file does not show.
  std::size_t unpack_bytes = 0;
  // For the content decoders of each parser, beside what all share (corpora/http/decoder_allowance.hpp).
  std::size_t decoder_bytes = std::size_t{1} << 20;
  unsigned ahead_lanes = 0;  // threads that may unpack members of gzip ahead of the reader at once
  GzipAhead::Size ahead_size = GzipAhead::kShortMembers;
};

// A place between two tasks. It means the same to readers with other limits, so that another process can go on there.
struct InputPosition {
  std::uint64_t file = 0;    // number in the plan
  std::uint64_t offset = 0;  // in that file, unpacked: the records that start before it are done
  std::uint64_t faults = 0;  // of the containers of that file, done
  std::uint64_t task = 0;    // number of the next task
  bool operator==(const InputPosition&) const = default;
};

// The parameters that all readers of a plan share. The references must outlive the reader.
struct ReaderSetup {
  FileSystem& files;
  const CorpusPlan& plan;
  const CorpusOptions& options;
  ReaderLimits limits;
  InputPosition start{};  // what comes before is done; InputPosition() or CorpusTask::end, none inside a stream
  const RevisitTable* revisits = nullptr;  // with Revisits::kFollow; may be nullptr
};

struct ByteRange {
  std::uint64_t begin = 0, end = 0;
};
// The share of part `number` of `count` equal parts of `total` bytes. Requires: 1 <= number <= count.
ByteRange part_range(std::uint64_t total, std::uint32_t number, std::uint32_t count);

}  // namespace spillway
