// A share of a GPU's arena. Visits that have the same one take turns: it is a visit's from its begin until its lists
// are on the host, so that one block is sorted while the run of another is written.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>

#include "io/memory/budget.hpp"

namespace spillway {

// Outlives its visits. Thread-safe; who takes it and who gives it back may be different threads.
class ArenaShare {
 public:
  explicit ArenaShare(std::span<std::uint8_t> memory) : memory_(memory) {}
  ArenaShare(const ArenaShare&) = delete;
  ArenaShare& operator=(const ArenaShare&) = delete;

  std::span<std::uint8_t> memory() const { return memory_; }
  // Waits until no visit has it.
  void take() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [this] { return !is_taken_; });
    is_taken_ = true;
  }
  // Requires: a visit has it, and nothing of that visit goes on any more.
  void give_back() {
    const std::lock_guard lock(mutex_);
    is_taken_ = false;
    freed_.notify_one();
  }

 private:
  const std::span<std::uint8_t> memory_;
  // No std::binary_semaphore: that of libstdc++ 12 may sleep on when it is free (GCC bug 104928).
  std::mutex mutex_;
  std::condition_variable freed_;
  bool is_taken_ = false;
};

// Of the host's memory, for the machine that stands in for a GPU.
class HostArenaShare {
 public:
  HostArenaShare(std::size_t bytes, MemoryBudget& budget) : memory_(budget, bytes, "the arena of a visit") {}
  ArenaShare& share() { return share_; }

 private:
  Buffer memory_;
  ArenaShare share_{memory_.span()};
};

}  // namespace spillway
