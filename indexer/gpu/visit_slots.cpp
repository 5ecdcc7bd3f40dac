#include "indexer/gpu/visit_slots.hpp"

#include <utility>

#include "indexer/gpu/visited_run.hpp"

namespace spillway {

namespace {

class SlotVisit final : public GpuVisit {
 public:
  SlotVisit(FreeSlots& slots, VisitSlot& slot, const Block& block) : slots_(slots), slot_(slot), block_(block) {}
  ~SlotVisit() override {
    if (is_done_) {
      slot_.end();
    } else {
      slot_.abandon();
    }
    slots_.put(slot_);
  }
  SlotVisit(const SlotVisit&) = delete;
  SlotVisit& operator=(const SlotVisit&) = delete;

  void begin(Positions positions, ChunkForm form) { slot_.begin(BlockPacker(block_, positions, form)); }

  RunSummary write_run(WritableFile& file, const BlockSortOptions& options, BlockSortFigures& figures) override {
    const VisitLists lists = slot_.wait(figures);
    is_done_ = true;
    seconds_ = lists.seconds;
    return write_visited_run(block_, options, lists, file, figures);
  }
  VisitSeconds seconds() const override { return seconds_; }

 private:
  FreeSlots& slots_;
  VisitSlot& slot_;
  const Block& block_;
  bool is_done_ = false;
  VisitSeconds seconds_{};
};

}  // namespace

FreeSlots::FreeSlots(std::vector<std::unique_ptr<VisitSlot>> slots) : slots_(std::move(slots)) {
  for (const auto& slot : slots_) free_.push_back(slot.get());
}

VisitSlot& FreeSlots::take() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return !free_.empty(); });
  VisitSlot& slot = *free_.front();
  free_.pop_front();
  return slot;
}

void FreeSlots::put(VisitSlot& slot) {
  const std::lock_guard lock(mutex_);
  free_.push_back(&slot);
  freed_.notify_one();
}

std::unique_ptr<GpuVisit> SlotBlockSorter::begin(const Block& block, Positions positions) {
  auto visit = std::make_unique<SlotVisit>(slots_, slots_.take(), block);
  visit->begin(positions, form_);
  return visit;
}

}  // namespace spillway
