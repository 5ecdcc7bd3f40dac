// The reader thread: unpacks the compressed files and streams of a plan, one after the other, and stays a bounded
// number of buffers ahead of the parsers.
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
#include "io/file/temp_space.hpp"

namespace spillway {

class PackedReader {
 public:
  // The arguments must outlive the reader.
  PackedReader(const ReaderSetup& setup, MemoryBudget& budget, TempSpace& temp);
  ~PackedReader();
  PackedReader(const PackedReader&) = delete;
  PackedReader& operator=(const PackedReader&) = delete;
  static std::size_t memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits);

  // Returns the next records of the current file; nullopt at its end, after which the next file that needs_reader() is
  // current, and after stop(). Rethrows what the thread threw.
  std::optional<UnpackedRecords> next();
  void stop();

 private:
  // nullopt marks the end of a file.
  using Item = std::optional<UnpackedRecords>;
  void run() noexcept;
  bool read_file(const CorpusFile& file);
  bool read_zip(const CorpusFile& file);
  bool cut(std::shared_ptr<const CorpusFile> file, UnpackedSource& source, RecordCutter::Emit emit);
  bool push_fault(std::shared_ptr<const CorpusFile> file, ContainerFault fault);
  std::unique_ptr<UnpackedSource> open(const CorpusFile& file);
  std::unique_ptr<UnpackedSource> unpack(const CorpusFile& file, PackedInput input);
  GzipCodec::StartAhead ahead_of(const CorpusFile& file);
  bool push(Item item);
  std::span<std::uint8_t> input_buffer() { return buffers_.span().first(PackedInput::kBufferBytes); }

  const ReaderSetup& setup_;
  MemoryBudget& budget_;
  TempSpace& temp_;
  std::shared_ptr<UnpackBuffers> pool_, ahead_rooms_;
  Buffer buffers_;  // for PackedInput, UnpackingStream, RecordCutter and GzipAhead
  Reservation unpack_reservation_;
  std::size_t queue_limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> queue_;
  std::exception_ptr error_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace spillway
