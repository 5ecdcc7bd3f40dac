// Reads the Arrow stream of a plan on a thread of its own, stays a little ahead of the parsers, and cuts batches into
// tasks without copying them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "corpora/arrow/stream.hpp"
#include "corpora/reader/task.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

class ArrowReader {
 public:
  // Reserves memory_bytes() from `budget`. The reference to the setup must outlive the reader. Throws as
  // ArrowStream::open().
  ArrowReader(const ReaderSetup& setup, MemoryBudget& budget);
  // Waits for the producer, if it is making a batch.
  ~ArrowReader();
  ArrowReader(const ArrowReader&) = delete;
  ArrowReader& operator=(const ArrowReader&) = delete;
  // The bytes of fields in batches that are held at once: those of 2 * threads + 1 tasks. The next batch is asked for
  // when one like the last would fit, or none is held; so only a batch that is larger by itself exceeds them.
  static std::size_t memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits);

  // Waits for the next task, and fills in its number and work. Returns false at the end and after stop(). Rethrows what
  // the thread met, after the tasks before it. Thread-safe.
  bool next(CorpusTask& task);
  void stop();

 private:
  // Batches share this with the reader, which they may outlive.
  struct Held {
    std::mutex mutex;
    std::condition_variable changed;
    std::uint64_t bytes = 0;
    bool stopped = false;
  };
  void run() noexcept;
  void read_batches();
  void wait_for_room();
  void cut(std::shared_ptr<ArrowBatch> batch);
  void push();

  const std::shared_ptr<ArrowStream> stream_;
  const std::uint64_t task_bytes_, most_bytes_;
  const Reservation memory_;
  const std::shared_ptr<Held> held_ = std::make_shared<Held>();
  std::uint64_t last_bytes_ = 0;  // of the last batch
  ArrowTask open_;                // small batches share a task
  std::uint64_t open_bytes_ = 0;

  std::mutex mutex_;  // guards all below
  std::condition_variable ready_;
  std::deque<ArrowTask> queue_;
  std::uint64_t next_number_ = 0;
  bool ended_ = false, stopped_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace spillway
