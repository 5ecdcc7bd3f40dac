// Cuts a CorpusPlan into tasks for many threads. Each thread turns its tasks into documents with a TaskParser of its
// own (corpora/reader/task_parser.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include "corpora/http/decoder_allowance.hpp"
#include "corpora/reader/task.hpp"

namespace spillway {

class ArrowReader;
class PackedReader;

// Hands out tasks in input order. next() is thread-safe. Compressed files and streams are unpacked by a thread of the
// reader's own; threads that wait in next() unpack members of gzip ahead of it. It has 2 * threads + 1 buffers of
// buffer_bytes, and a task holds one of them until it is destroyed, so a caller keeps at most `threads` tasks at a
// time.
class CorpusReader {
 public:
  // Reserves the reader's own memory (unpacked buffers, zlib or zstd state) and that of the parsers' content decoders
  // from `budget`, and spools long records and texts to `temp`. What `setup` refers to, `budget` and `temp` must
  // outlive the reader.
  CorpusReader(const ReaderSetup& setup, MemoryBudget& budget, TempSpace& temp);
  ~CorpusReader();
  static std::size_t memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits);
  // The part of it for content decoders.
  static std::size_t decoder_memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits);

  // Returns false at the end of the input. Gives the buffer of the previous task back first. Throws, also in later
  // calls, what the reader thread met: IoError, or BudgetError for a zstd window.
  bool next(CorpusTask& task);
  // Unpacks members of gzip for those that call next(), until all input is unpacked or the reader is stopped. For
  // threads beside those that call next(), which do it while they wait.
  void help();
  // Makes all waiting and later next() calls return false.
  void stop();

  const ReaderSetup& setup() const { return setup_; }
  DecoderAllowance& decoders() const { return *decoders_; }

 private:
  using Work = decltype(CorpusTask::work);
  std::optional<bool> try_next(CorpusTask& task);
  std::optional<Work> next_work();
  std::optional<Work> next_range();
  std::optional<UnpackedRecords> next_records();
  bool drop_done(UnpackedRecords& records);
  void end_file();
  PlainFiles next_files();
  std::uint64_t next_range_bytes() const;

  const ReaderSetup setup_;
  const Reservation decoder_memory_;
  const std::unique_ptr<DecoderAllowance> decoders_;  // of the parsers
  std::unique_ptr<PackedReader> packed_;              // nullptr: all inputs are plain files, or there is
  std::unique_ptr<ArrowReader> arrow_;                // ... an Arrow stream
  std::atomic<bool> stopped_{false};

  std::mutex mutex_;              // guards all members below
  InputPosition position_;        // after the last task; `offset` and `faults` only for compressed files
  FileTable::Cursor file_;        // the next, or the one that is divided or unpacked
  std::uint64_t left_bytes_;      // of the input, not handed out yet
  std::uint64_t next_begin_ = 0;  // in that file, if it is divided
  PlainRange divided_;            // that file
  InputPosition done_;            // setup_.start while its file is being unpacked again
  bool must_wait_ = false;        // for the reader thread, as the last try_next() found
  std::exception_ptr error_;
};

}  // namespace spillway
