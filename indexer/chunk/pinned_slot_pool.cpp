#include "indexer/chunk/pinned_slot_pool.hpp"

#include <algorithm>

namespace spillway {

std::span<std::uint8_t> PinnedSlotPool::Slot::span() const {
  if (empty()) return {};
  return region().subspan(number_ % pool_->slots_per_region_ * pool_->slot_bytes_, pool_->slot_bytes_);
}

std::span<std::uint8_t> PinnedSlotPool::Slot::region() const {
  if (empty()) return {};
  const std::span<std::uint8_t> rest = pool_->regions_.subspan(number_ / pool_->slots_per_region_ * kRegionBytes);
  return rest.first(std::min(rest.size(), kRegionBytes));
}

PinnedSlotPool::PinnedSlotPool(MemoryBudget& budget, std::size_t bytes, std::size_t slot_bytes)
    : slot_bytes_(std::min(slot_bytes, kRegionBytes)),
      memory_(budget, bytes, "the pinned slots of chunks"),
      slots_per_region_(kRegionBytes / slot_bytes_) {
  memory_.use_large_pages();
  const std::size_t skip = -reinterpret_cast<std::uintptr_t>(memory_.data()) % kLargePageBytes;
  regions_ = memory_.span().subspan(std::min(skip, bytes));
  regions_ = regions_.first(regions_.size() / kPageBytes * kPageBytes);
  slots_ = regions_.size() / kRegionBytes * slots_per_region_ + regions_.size() % kRegionBytes / slot_bytes_;
  free_.reserve(slots_);
}

PinnedSlotPool::Slot PinnedSlotPool::take() {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    const std::size_t number = free_.back();
    free_.pop_back();
    return {this, number};
  }
  if (used_ == slots_) return {};
  return {this, used_++};
}

void PinnedSlotPool::give_back(std::size_t number) {
  const std::lock_guard lock(mutex_);
  free_.push_back(number);
}

}  // namespace spillway
