// The way of encoded lists from the threads of a merge to the one writer: batches of range i go before those of range
// i + 1, whichever is ready first. What is ahead waits in memory, up to a limit.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

#include "io/index_writer.hpp"

namespace spillway {

// Thread-safe; a range belongs to one thread at a time, and ranges are begun in order. The thread of the least
// unfinished range writes, and never waits for others; so there is no deadlock, whatever the limit.
class OrderedLists {
 public:
  // Thrown out of put() and finish() in every thread once one has failed: its own error is kept by fail().
  struct Stopped {};

  OrderedLists(IndexWriter& writer, std::size_t range_count, std::size_t limit_bytes, std::size_t most_used = 0);

  // Writes or keeps the next batch of a range; waits while the range is ahead and the limit is reached.
  void put(std::size_t range, ListBatch batch);
  void finish(std::size_t range);
  // A batch that was written, for its memory; an empty one where there is none. A few are kept.
  ListBatch take_used();
  // Throws Stopped where one has failed. Takes no lock, so it may be called often.
  void check_stopped() const;
  // Stops all. The first error is kept.
  void fail(std::exception_ptr error);
  // Throws what fail() kept. std::logic_error if ranges are missing.
  void check_complete() const;

  std::size_t peak_bytes() const { return peak_bytes_; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  void write_kept(std::size_t range, Lock& lock);
  void write(ListBatch batch);
  struct Range {
    std::deque<ListBatch> kept;
    bool finished = false;
  };
  IndexWriter& writer_;
  std::size_t limit_bytes_, most_used_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Range> ranges_;
  std::mutex used_mutex_;
  std::vector<ListBatch> used_;
  std::size_t head_ = 0;  // the least range that is not written to its end
  std::size_t kept_bytes_ = 0, peak_bytes_ = 0;
  std::atomic<bool> stopped_ = false;
  std::exception_ptr error_;
};

}  // namespace spillway
