#include "indexer/gpu/sorter/gpu_lanes.hpp"

#include <optional>
#include <utility>

#include "indexer/gpu/sorter/encoded_run.hpp"

namespace spillway {

namespace {

class LaneBlockPass final : public GpuBlockPass {
 public:
  LaneBlockPass(FreeSlots& slots, GpuLane& slot, const Block& block) : slots_(slots), slot_(slot), block_(block) {}
  ~LaneBlockPass() override {
    if (lists_) {
      slot_.end();
    } else {
      slot_.abandon();
    }
    slots_.put(slot_);
  }
  LaneBlockPass(const LaneBlockPass&) = delete;
  LaneBlockPass& operator=(const LaneBlockPass&) = delete;

  void begin(Positions positions, ChunkForm form) { slot_.begin(BlockPacker(block_, positions, form)); }

  std::size_t wait(std::size_t run_block_bytes, BlockSortStats& stats) override {
    if (!lists_) lists_ = slot_.wait(stats);
    const std::size_t bytes = lists_->rank_text.size() + lists_->postings.size() + lists_->distances.size();
    return run_bytes_bound(block_, {lists_->parts.size(), bytes}, run_block_bytes);
  }

  RunSummary write_run(WritableFile& file, const BlockSortOptions& options, BlockSortStats& stats) override {
    wait(options.run_block_bytes, stats);
    return write_encoded_run(block_, options, *lists_, file, stats);
  }
  PassSeconds seconds() const override { return lists_ ? lists_->seconds : PassSeconds{}; }

 private:
  FreeSlots& slots_;
  GpuLane& slot_;
  const Block& block_;
  std::optional<EncodedLists> lists_;  // once they are here
};

}  // namespace

FreeSlots::FreeSlots(std::vector<std::unique_ptr<GpuLane>> slots) : slots_(std::move(slots)) {
  for (const auto& slot : slots_) free_.push_back(slot.get());
}

GpuLane& FreeSlots::take() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return !free_.empty(); });
  GpuLane& slot = *free_.front();
  free_.pop_front();
  return slot;
}

void FreeSlots::put(GpuLane& slot) {
  const std::lock_guard lock(mutex_);
  free_.push_back(&slot);
  freed_.notify_one();
}

std::unique_ptr<GpuBlockPass> SlotBlockSorter::begin(const Block& block, Positions positions) {
  auto visit = std::make_unique<LaneBlockPass>(slots_, slots_.take(), block);
  visit->begin(positions, form_);
  return visit;
}

}  // namespace spillway
