// The reader thread: unpacks the compressed files and streams of a plan, one after the other, and stays a bounded
// number of buffers ahead of the parsers. Parsers that would wait for it unpack members of gzip ahead of it.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "corpora/reader/record_cutter.hpp"
#include "corpora/reader/task.hpp"
#include "corpora/unpack/gzip_codec.hpp"
#include "io/scratch/temp_space.hpp"

namespace spillway {

class PackedReader {
 public:
  // The arguments must outlive the reader.
  PackedReader(const ReaderSetup& setup, MemoryBudget& budget, TempSpace& temp);
  ~PackedReader();
  PackedReader(const PackedReader&) = delete;
  PackedReader& operator=(const PackedReader&) = delete;
  static std::size_t memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits);

  // The next records of the current file; nullopt at its end, after which the next file that needs_reader() is current,
  // and after stop().
  using Item = std::optional<UnpackedRecords>;
  // Returns nothing if wait_or_help() must come first. Rethrows what the thread threw.
  std::optional<Item> try_next();
  // The number of changes so far that may let threads that wait go on. To be asked for before try_next() by whoever
  // waits then.
  std::uint64_t changes();
  // Returns when try_next() may have an item, after further changes(), or after unpacking members ahead in the
  // meantime.
  void wait_or_help(std::uint64_t changes);
  // Unpacks members ahead until the reader has read all, or is stopped.
  void help();
  void stop();

 private:
  void run() noexcept;
  void read_files();
  bool read_file(const CorpusFile& file);
  bool read_zip(const CorpusFile& file);
  bool cut(std::shared_ptr<const CorpusFile> file, UnpackedSource& source, RecordCutter::Emit emit);
  bool push_fault(std::shared_ptr<const CorpusFile> file, ContainerFault fault);
  std::unique_ptr<UnpackedSource> open(const CorpusFile& file);
  std::unique_ptr<UnpackedSource> unpack(const CorpusFile& file, PackedInput input);
  GzipCodec::StartAhead ahead_of(const CorpusFile& file);
  std::shared_ptr<GzipAhead> start_ahead(std::shared_ptr<GzipAhead> ahead);
  bool push(Item item);
  bool is_ready() const { return stopped_ || has_ended_ || error_ != nullptr || !queue_.empty(); }
  void help_or_wait(std::unique_lock<std::mutex>& lock, std::uint64_t changes, bool wants_items);
  void wake_one();
  void wake();
  std::span<std::uint8_t> input_buffer() { return buffers_.span().first(PackedInput::kBufferBytes); }

  const ReaderSetup& setup_;
  MemoryBudget& budget_;
  TempSpace& temp_;
  std::shared_ptr<UnpackBuffers> pool_, ahead_rooms_;
  Buffer buffers_;  // for PackedInput, UnpackingStream, RecordCutter and GzipAhead
  Reservation unpack_reservation_;
  std::size_t queue_limit_;
  std::mutex mutex_;                        // guards the members below
  std::condition_variable wanted_, taken_;  // the parsers wait for items or work, the reader for room in the queue
  std::deque<Item> queue_;
  std::shared_ptr<GzipAhead> ahead_;  // of the file that was begun last; may be closed
  std::uint64_t changes_ = 0;         // there may be something to do that is_ready() does not tell
  unsigned helpers_ = 0;              // threads in help(), which take no items
  std::exception_ptr error_;
  bool stopped_ = false, has_ended_ = false;
  std::thread thread_;
};

}  // namespace spillway
