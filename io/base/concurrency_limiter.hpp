// Limits how many threads of a job work at the same time when two kinds of work (parsing, and compacting runs) have
// that many threads each. A thread takes a slot before it works, and gives the slot back before it waits for another
// thread. During a compaction that does not fit in memory, threads keep their slots while their output waits for the
// disk.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace spillway {

class ConcurrencyLimiter;

// One slot, given back on destruction. Movable.
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

// Thread-safe. Outlives its slots.
class ConcurrencyLimiter {
 public:
  // Requires: count > 0.
  explicit ConcurrencyLimiter(unsigned count) : count_(count), free_(count) {}
  ConcurrencyLimiter(const ConcurrencyLimiter&) = delete;
  ConcurrencyLimiter& operator=(const ConcurrencyLimiter&) = delete;

  unsigned count() const { return count_; }
  // Waits until a slot is free. Threads are served in the order in which they called, so neither many short tasks nor a
  // few long ones starve. Requires: the calling thread holds no slot; otherwise all threads may wait forever.
  ThreadSlot take();
  std::size_t waiting() const;

 private:
  friend class ThreadSlot;
  void give_back();
  const unsigned count_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  unsigned free_;
  std::uint64_t next_place_ = 0, served_ = 0;  // tickets of the callers of take()
};

}  // namespace spillway
