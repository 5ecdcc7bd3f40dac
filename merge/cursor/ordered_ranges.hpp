// The way of what threads make of ranges to one writer: items of range i go before those of range i + 1, whichever is
// ready first. What is ahead waits in memory, up to a limit.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace spillway {

// Thrown in every thread of an OrderedRanges once one has failed: its own error is kept by fail().
struct OrderStopped {};

// Thread-safe; a range belongs to one thread at a time, and ranges are begun in order. The thread of the least
// unfinished range writes, and never waits for others; so there is no deadlock, whatever the limit.
template <typename Item>
class OrderedRanges {
 public:
  // `write` is called by one thread at a time.
  OrderedRanges(std::function<void(Item&&)> write, std::size_t range_count, std::size_t limit_bytes)
      : write_(std::move(write)), limit_bytes_(limit_bytes), ranges_(range_count) {}

  // Writes or keeps the next item of a range, of so many bytes; waits while the range is ahead and the limit is
  // reached. Throws OrderStopped.
  void put(std::size_t range, Item&& item, std::size_t bytes) {
    Lock lock(mutex_);
    changed_.wait(lock, [&] {
      return stopped_.load() || range == head_ || kept_bytes_ == 0 || kept_bytes_ + bytes <= limit_bytes_;
    });
    check_stopped();
    if (range != head_) {
      kept_bytes_ += bytes;
      peak_bytes_ = std::max(peak_bytes_, kept_bytes_);
      ranges_[range].kept.push_back({std::move(item), bytes});
      return;
    }
    write_kept(range, lock);
    lock.unlock();
    write_(std::move(item));
  }

  // Throws OrderStopped.
  void finish(std::size_t range) {
    Lock lock(mutex_);
    check_stopped();
    ranges_[range].finished = true;
    // Finished ranges behind the head have no thread of their own any more: this one writes them.
    while (range == head_ && ranges_[range].finished) {
      write_kept(range, lock);
      if (++head_ == ranges_.size()) break;
      range = head_;
      changed_.notify_all();
    }
  }

  // Throws OrderStopped where one has failed. Takes no lock, so it may be called often.
  void check_stopped() const {
    if (stopped_.load(std::memory_order_relaxed)) throw OrderStopped{};
  }

  // Stops all. The first error is kept.
  void fail(std::exception_ptr error) {
    const Lock lock(mutex_);
    if (error_ == nullptr) error_ = std::move(error);
    stopped_ = true;
    changed_.notify_all();
  }

  // Throws what fail() kept. std::logic_error if ranges are missing.
  void check_complete() const {
    const Lock lock(mutex_);
    if (error_ != nullptr) std::rethrow_exception(error_);
    if (head_ != ranges_.size()) throw std::logic_error("a merge ended before all its ranges were written");
  }

  std::size_t peak_bytes() const { return peak_bytes_; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct Kept {
    Item item;
    std::size_t bytes;
  };
  struct Range {
    std::deque<Kept> kept;
    bool finished = false;
  };

  // Requires: `range` is the head, and the caller the only thread that writes it.
  void write_kept(std::size_t range, Lock& lock) {
    while (!ranges_[range].kept.empty()) {
      Kept kept = std::move(ranges_[range].kept.front());
      ranges_[range].kept.pop_front();
      lock.unlock();
      write_(std::move(kept.item));
      lock.lock();
      kept_bytes_ -= kept.bytes;
      changed_.notify_all();
      check_stopped();
    }
  }

  std::function<void(Item&&)> write_;
  std::size_t limit_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Range> ranges_;
  std::size_t head_ = 0;  // the least range that is not written to its end
  std::size_t kept_bytes_ = 0, peak_bytes_ = 0;
  std::atomic<bool> stopped_ = false;
  std::exception_ptr error_;
};

}  // namespace spillway
