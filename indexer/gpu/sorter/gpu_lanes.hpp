// A block sorter out of slots: lends one to each block on its way.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "indexer/gpu/pipeline/gpu_lane.hpp"
#include "indexer/gpu/sorter/block_sorter.hpp"

namespace spillway {

// The slots that no block is in. Thread-safe.
class FreeSlots {
 public:
  // Slots are lent in the order given, and as they come back.
  explicit FreeSlots(std::vector<std::unique_ptr<GpuLane>> slots);
  // Waits for a slot.
  GpuLane& take();
  void put(GpuLane& slot);

 private:
  std::vector<std::unique_ptr<GpuLane>> slots_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::deque<GpuLane*> free_;
};

class SlotBlockSorter final : public GpuBlockSorter {
 public:
  SlotBlockSorter(std::vector<std::unique_ptr<GpuLane>> slots, ChunkForm form)
      : slots_(std::move(slots)), form_(form) {}
  std::unique_ptr<GpuBlockPass> begin(const Block& block, Positions positions) override;

 private:
  FreeSlots slots_;
  const ChunkForm form_;
};

}  // namespace spillway
