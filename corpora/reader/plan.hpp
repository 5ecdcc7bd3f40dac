// Turns the INPUT arguments of a job into a list of files with their formats, compression and, for --part I/N, the
// share of each file. CorpusReader then cuts the plan into tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "corpora/document/corpus_options.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

// One file (or stream) of the input, in input order.
struct CorpusFile {
  std::string path;        // to open; "-" is standard input
  std::string id;          // `text` format: the path relative to the INPUT given
  std::uint64_t size = 0;  // bytes as stored; 0 for streams
  std::int64_t modified_ns = 0;
  // kAuto for streams and compressed files until they are opened.
  CorpusFormat format = CorpusFormat::kAuto;
  Compression compression = Compression::kNone;
  bool is_stream = false;            // standard input, a FIFO, or a file whose size is not known
  std::uint64_t begin = 0, end = 0;  // this part has the records that start in these bytes
  std::uint64_t unpack_bytes = 0;    // memory to unpack it, as the start of the file says
};

// Whether the reader thread has to unpack or stream the file; parsers read all other files themselves.
inline bool needs_reader(const CorpusFile& file) { return file.is_stream || file.compression != Compression::kNone; }

struct CorpusPlan {
  std::vector<CorpusFile> files;
  std::uint64_t total_bytes = 0;  // of this part, as stored
};

// Expands directories (recursively, in byte order of the relative paths, without hidden entries and links), lists
// (@FILE: one path a line) and "-", and recognises formats and compression by content. Throws UsageError for a missing
// file, no input at all, a device, a part out of range, or --part with streams; BudgetError for a zstd window above
// 2^27 bytes. `check`, if set, is called for each file and while a list is waited for; it may throw to stop.
CorpusPlan plan_corpus(FileSystem& files, const std::vector<std::string>& inputs, const CorpusOptions& options,
                       const std::function<void()>& check = {});

// Throws IoError naming the first file whose size or modification time has changed since it was planned.
void check_unchanged(FileSystem& files, const CorpusPlan& plan);

struct ReaderLimits {
  std::size_t task_bytes = std::size_t{8} << 20;    // plain input that a task covers
  std::size_t buffer_bytes = std::size_t{1} << 20;  // the longest record held in memory; longer ones are streamed
  unsigned threads = 1;
  // The least memory kept for windows of zstd frames that the start of a file does not show.
  std::size_t unpack_bytes = 0;
};

// The parameters that all readers of a plan share. The references must outlive the reader.
struct ReaderSetup {
  FileSystem& files;
  const CorpusPlan& plan;
  const CorpusOptions& options;
  ReaderLimits limits;
};

struct ByteRange {
  std::uint64_t begin = 0, end = 0;
};
// The share of part `number` of `count` equal parts of `total` bytes. Requires: 1 <= number <= count.
ByteRange part_range(std::uint64_t total, std::uint32_t number, std::uint32_t count);

}  // namespace spillway
