#include "indexer/chunk/pinned_slot_pool.hpp"

#include <algorithm>

namespace spillway {

std::span<std::uint8_t> PinnedSlotPool::Piece::span() const {
  if (empty()) return {};
  return slab().subspan(number_ % slabs_->pieces_per_slab_ * slabs_->piece_bytes_, slabs_->piece_bytes_);
}

std::span<std::uint8_t> PinnedSlotPool::Piece::slab() const {
  if (empty()) return {};
  const std::span<std::uint8_t> rest = slabs_->slabs_.subspan(number_ / slabs_->pieces_per_slab_ * kSlabBytes);
  return rest.first(std::min(rest.size(), kSlabBytes));
}

PinnedSlotPool::PinnedSlotPool(MemoryBudget& budget, std::size_t bytes, std::size_t piece_bytes)
    : piece_bytes_(std::min(piece_bytes, kSlabBytes)),
      memory_(budget, bytes, "the slabs of chunks"),
      pieces_per_slab_(kSlabBytes / piece_bytes_) {
  memory_.use_large_pages();
  const std::size_t skip = -reinterpret_cast<std::uintptr_t>(memory_.data()) % kLargePageBytes;
  slabs_ = memory_.span().subspan(std::min(skip, bytes));
  slabs_ = slabs_.first(slabs_.size() / kPageBytes * kPageBytes);
  pieces_ = slabs_.size() / kSlabBytes * pieces_per_slab_ + slabs_.size() % kSlabBytes / piece_bytes_;
  free_.reserve(pieces_);
}

PinnedSlotPool::Piece PinnedSlotPool::take() {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    const std::size_t number = free_.back();
    free_.pop_back();
    return {this, number};
  }
  if (used_ == pieces_) return {};
  return {this, used_++};
}

void PinnedSlotPool::give_back(std::size_t number) {
  const std::lock_guard lock(mutex_);
  free_.push_back(number);
}

}  // namespace spillway
