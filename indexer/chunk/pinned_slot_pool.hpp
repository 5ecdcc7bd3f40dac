// Memory for the tokens of chunks: slots of one size, cut from a few large regions. Their pages are large and taken
// once for a whole job. A GPU copies tokens in place, once their region is page-locked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "io/memory/budget.hpp"

namespace spillway {

// Thread-safe. Lives longer than its slots.
class PinnedSlotPool {
 public:
  // Gives itself back when destroyed. Movable.
  class Slot {
   public:
    Slot() = default;
    Slot(Slot&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)), number_(other.number_) {}
    Slot& operator=(Slot&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(number_, other.number_);
      return *this;
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() {
      if (pool_ != nullptr) pool_->give_back(number_);
    }

    bool empty() const { return pool_ == nullptr; }
    // Uninitialised bytes. Empty for an empty slot.
    std::span<std::uint8_t> span() const;
    // The region that it is cut from.
    std::span<std::uint8_t> region() const;

   private:
    friend class PinnedSlotPool;
    Slot(PinnedSlotPool* pool, std::size_t number) : pool_(pool), number_(number) {}
    PinnedSlotPool* pool_ = nullptr;
    std::size_t number_ = 0;
  };

  // Pays for all `bytes` at once, because a page that was used once stays resident. BudgetError.
  PinnedSlotPool(MemoryBudget& budget, std::size_t bytes, std::size_t slot_bytes);

  // How many slots fit; less than a large page of the memory is lost.
  std::size_t slot_count() const { return slots_; }
  // The slot that was given back last, or the first one that was never used; an empty one where all are taken.
  Slot take();

 private:
  void give_back(std::size_t number);

  static constexpr std::size_t kPageBytes = 4096, kLargePageBytes = std::size_t{2} << 20;
  // A region is locked in full, for all its slots: a lock is a system call, so the regions are few.
  static constexpr std::size_t kRegionBytes = 16 * kLargePageBytes;

  const std::size_t slot_bytes_;
  Buffer memory_;
  std::span<std::uint8_t> regions_;  // all of them: whole pages, from a large one on
  std::size_t slots_per_region_ = 0, slots_ = 0;
  std::mutex mutex_;
  std::vector<std::size_t> free_;
  std::size_t used_ = 0;  // slots that were ever taken
};

}  // namespace spillway
