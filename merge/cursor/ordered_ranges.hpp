// Hands the output of the threads of a merge to one writer in range order: all items of range i come before those of
// range i + 1. Items of later ranges wait in memory, up to a limit. Used by merges into a run (items are term blocks)
// and into an index (items are batches of lists).
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace spillway {

// Thrown on every thread of an OrderedRanges after one has failed; fail() keeps the error itself.
struct OrderStopped {};

// Thread-safe. One thread works on a range; ranges begin in order. The thread of the first unfinished range writes its
// items at once and never waits for another thread, so there is no deadlock, whatever the limit. Memory: `limit_bytes`
// of waiting items, or one item if that is larger.
template <typename Item>
class OrderedRanges {
 public:
  // `write` is called by one thread at a time.
  OrderedRanges(std::function<void(Item&&)> write, std::size_t range_count, std::size_t limit_bytes)
      : write_(std::move(write)), limit_bytes_(limit_bytes), ranges_(range_count) {}

  // Runs `work` on `threads` threads, the caller's among them (fewer if the system starts no more), and waits for them.
  // The first exception stops all of them: see check_complete().
  void run_threads(std::size_t threads, const std::function<void()>& work) {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < threads) others.emplace_back([&] { guard(work); });
    } catch (const std::system_error&) {  // the threads that run do all the work
    }
    guard(work);
  }

  // Calls `work`; stops all threads if it throws.
  void guard(const std::function<void()>& work) noexcept {
    try {
      work();
    } catch (const OrderStopped&) {  // the error of another thread is kept already
    } catch (...) {
      fail(std::current_exception());
    }
  }

  bool all_begun() const { return next_ >= ranges_.size(); }
  // Gives the caller the next range, in order; nothing once all ranges have begun.
  std::optional<std::size_t> begin_range() {
    const std::size_t range = next_++;
    return range < ranges_.size() ? std::optional(range) : std::nullopt;
  }

  // Writes or keeps the next item, of `bytes` bytes, of a range. Blocks while the range is not the first unfinished one
  // and the limit is reached. Throws OrderStopped.
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

  // Ends a range. Requires: its last item was put. Throws OrderStopped.
  void finish(std::size_t range) {
    Lock lock(mutex_);
    check_stopped();
    ranges_[range].finished = true;
    // The threads of finished ranges have moved on, so this one writes the items of those that follow.
    while (range == head_ && ranges_[range].finished) {
      write_kept(range, lock);
      if (++head_ == ranges_.size()) break;
      range = head_;
      changed_.notify_all();
    }
  }

  // Throws OrderStopped after a failure. Takes no lock, so it may be called often.
  void check_stopped() const {
    if (stopped_.load(std::memory_order_relaxed)) throw OrderStopped{};
  }

  // Stops all threads and keeps the first error.
  void fail(std::exception_ptr error) {
    const Lock lock(mutex_);
    if (error_ == nullptr) error_ = std::move(error);
    stopped_ = true;
    changed_.notify_all();
  }

  // Throws the error that fail() kept; std::logic_error if a range was not finished.
  void check_complete() const {
    const Lock lock(mutex_);
    if (error_ != nullptr) std::rethrow_exception(error_);
    if (head_ != ranges_.size()) throw std::logic_error("a merge ended before all its ranges were written");
  }

  std::size_t peak_bytes() const { return peak_bytes_; }  // of waiting items

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

  // Requires: `range` is the head, and no other thread writes it.
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
  std::atomic<std::size_t> next_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Range> ranges_;
  std::size_t head_ = 0;  // the first unfinished range
  std::size_t kept_bytes_ = 0, peak_bytes_ = 0;
  std::atomic<bool> stopped_ = false;
  std::exception_ptr error_;
};

}  // namespace spillway
