// Memory for the tokens of chunks in pieces of one size, cut from few large slabs. Their pages are large and taken once
// for a whole job, and a GPU copies tokens from where they stand, once a slab is locked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "io/memory/budget.hpp"

namespace spillway {

// Thread-safe. Lives longer than its pieces.
class PinnedSlotPool {
 public:
  // Gives itself back when destroyed. Movable.
  class Piece {
   public:
    Piece() = default;
    Piece(Piece&& other) noexcept : slabs_(std::exchange(other.slabs_, nullptr)), number_(other.number_) {}
    Piece& operator=(Piece&& other) noexcept {
      std::swap(slabs_, other.slabs_);
      std::swap(number_, other.number_);
      return *this;
    }
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;
    ~Piece() {
      if (slabs_ != nullptr) slabs_->give_back(number_);
    }

    bool empty() const { return slabs_ == nullptr; }
    // Its bytes are any. Empty for none.
    std::span<std::uint8_t> span() const;
    // The slab it is cut from.
    std::span<std::uint8_t> slab() const;

   private:
    friend class PinnedSlotPool;
    Piece(PinnedSlotPool* slabs, std::size_t number) : slabs_(slabs), number_(number) {}
    PinnedSlotPool* slabs_ = nullptr;
    std::size_t number_ = 0;
  };

  // Pays for all of it at once, as what was used once stays resident. BudgetError.
  PinnedSlotPool(MemoryBudget& budget, std::size_t bytes, std::size_t piece_bytes);

  // What fits `bytes`, of which less than a large page is lost.
  std::size_t piece_count() const { return pieces_; }
  // The piece that was given back last, or the first that never was used; an empty one where all are out.
  Piece take();

 private:
  void give_back(std::size_t number);

  static constexpr std::size_t kPageBytes = 4096, kLargePageBytes = std::size_t{2} << 20;
  // Locked at once: few, as each takes a call, and each of them all of it at the first use.
  static constexpr std::size_t kSlabBytes = 16 * kLargePageBytes;

  const std::size_t piece_bytes_;
  Buffer memory_;
  std::span<std::uint8_t> slabs_;  // all of them: whole pages, from a large one on
  std::size_t pieces_per_slab_ = 0, pieces_ = 0;
  std::mutex mutex_;
  std::vector<std::size_t> free_;
  std::size_t used_ = 0;  // pieces that ever were
};

}  // namespace spillway
