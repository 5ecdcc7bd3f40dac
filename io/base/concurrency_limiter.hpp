// How many threads of a job work at once, where several kinds of work have as many threads each (parsing, and joining
// runs beside it): each thread takes a slot for a piece of work, and gives it back before it waits for another thread.
// Threads of a join that does not fit in memory keep theirs while what they made waits for the disk.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace spillway {

class ConcurrencyLimiter;

// One of the slots; given back when destroyed. Movable.
class ThreadSlot {
 public:
  ThreadSlot() = default;
  ThreadSlot(ThreadSlot&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)) {}
  ThreadSlot& operator=(ThreadSlot&& other) noexcept {
    std::swap(slots_, other.slots_);
    return *this;
  }
  ThreadSlot(const ThreadSlot&) = delete;
  ThreadSlot& operator=(const ThreadSlot&) = delete;
  ~ThreadSlot() { release(); }
  void release();

 private:
  friend class ConcurrencyLimiter;
  explicit ThreadSlot(ConcurrencyLimiter& slots) : slots_(&slots) {}
  ConcurrencyLimiter* slots_ = nullptr;
};

// Thread-safe. Lives longer than its slots.
class ConcurrencyLimiter {
 public:
  // Requires: count > 0.
  explicit ConcurrencyLimiter(unsigned count) : count_(count), free_(count) {}
  ConcurrencyLimiter(const ConcurrencyLimiter&) = delete;
  ConcurrencyLimiter& operator=(const ConcurrencyLimiter&) = delete;

  unsigned count() const { return count_; }
  // Waits until one is free. Those who wait get theirs in the order in which they came, so that work of many short
  // pieces and work of few long ones both go on. Requires: the calling thread holds none, else all may wait for ever.
  ThreadSlot take();
  std::size_t waiting() const;

 private:
  friend class ThreadSlot;
  void give_back();
  const unsigned count_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  unsigned free_;
  std::uint64_t next_place_ = 0, served_ = 0;  // of those who wait
};

}  // namespace spillway
