// The reader thread: unpacks the compressed files and streams of a plan, one after the other, a bounded number of
// windows ahead of those who parse them.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "corpora/reader/task.hpp"
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

  // The next records of plan.files[file], which needs_reader; nullopt at its end or after stop(). Files are asked for
  // in their order, each to its end. Throws what the thread met.
  std::optional<UnpackedRecords> next();
  void stop();

 private:
  // A file's end is an item of its own.
  using Item = std::optional<UnpackedRecords>;
  void run() noexcept;
  bool read_file(const CorpusFile& file);
  std::unique_ptr<UnpackedSource> open(const CorpusFile& file);
  bool push(Item item);
  std::span<std::uint8_t> input_buffer() { return buffers_.span().first(PackedInput::kBufferBytes); }

  const ReaderSetup& setup_;
  TempSpace& temp_;
  std::shared_ptr<UnpackBuffers> pool_;
  Buffer buffers_;  // of PackedInput, UnpackingStream and RecordCutter
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
