#include "indexer/gpu/sorter/block_sorter.hpp"

#include <deque>

#include "indexer/gpu/pipeline/block_pass.hpp"
#include "indexer/gpu/pipeline/cuda_executor.cuh"
#include "indexer/gpu/sorter/gpu_lanes.hpp"
#include "sort/gpu/registry.hpp"

namespace spillway {

namespace {

// None where blocks need none.
const DeviceRecordSorter* record_sorter(const GpuSorterOptions& options) {
  if (options.form == ChunkForm::kTokens) return nullptr;
  const DeviceRecordSorter* const sorter = find_device_record_sorter(options.record_sorter);
  if (sorter == nullptr) throw UsageError("no GPU sorter of records has the name " + options.record_sorter);
  return sorter;
}

const DeviceStringSorter& string_sorter(const std::string& name) {
  const DeviceStringSorter* const sorter = find_device_string_sorter(name);
  if (sorter == nullptr) throw UsageError("no GPU sorter of strings has the name " + name);
  return *sorter;
}

// Waiting blocks the thread, also inside the sorters: the processors have other work.
void wait_without_spinning(int gpu) {
  cuda_check(cudaSetDevice(gpu));
  cuda_check(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
}

// The memory that the visits share, and they.
class ArenaBlockSorter final : public GpuBlockSorter {
 public:
  ArenaBlockSorter(const GpuSorterOptions& options, MemoryBudget& budget)
      : staging_(budget.reserve(options.staging_bytes, "the staging buffers of GPU visits")) {
    if (options.gpus.empty()) throw GpuError("no GPU to sort blocks on");
    for (const int gpu : options.gpus) {
      wait_without_spinning(gpu);
      arenas_.emplace_back(gpu, options.arena_bytes);
      share_arena(arenas_.back(), options.shares);
    }
    sorter_ = std::make_unique<SlotBlockSorter>(make_slots(options, budget), options.form);
  }

  std::unique_ptr<GpuBlockPass> begin(const Block& block, Positions positions) override {
    return sorter_->begin(block, positions);
  }

 private:
  void share_arena(const DeviceBuffer& arena, unsigned shares) {
    const std::size_t bytes = arena.size() / shares / kDeviceAlignment * kDeviceAlignment;
    for (unsigned i = 0; i < shares; ++i) shares_.emplace_back(std::span(arena.data() + i * bytes, bytes));
  }

  // Taken in turn, they deal the blocks to the GPUs in turn.
  std::vector<std::unique_ptr<GpuLane>> make_slots(const GpuSorterOptions& options, MemoryBudget& budget) {
    const std::size_t staging_share = options.staging_bytes / (options.visits * options.gpus.size());
    if (staging_share < CudaExecutor::kMinStagingBytes) {
      throw GpuMemoryError("a GPU visit needs " + std::to_string(CudaExecutor::kMinStagingBytes) +
                           " bytes of pinned memory, and has " + std::to_string(staging_share) + ": raise --memory");
    }
    std::vector<std::unique_ptr<GpuLane>> slots;
    for (unsigned visit = 0; visit < options.visits; ++visit) {
      for (std::size_t g = 0; g < options.gpus.size(); ++g) {
        ArenaShare& share = shares_[g * options.shares + visit % options.shares];
        slots.push_back(std::make_unique<BlockPass<CudaExecutor>>(
            CudaExecutorSetup{options.gpus[g], share, staging_share, record_sorter(options),
                              string_sorter(options.string_sorter), locked_slabs_, budget}));
      }
    }
    return slots;
  }

  Reservation staging_;
  PinnedRegistry locked_slabs_;
  std::vector<DeviceBuffer> arenas_;  // of each GPU
  std::deque<ArenaShare> shares_;     // of the first GPU, then of the next
  std::unique_ptr<SlotBlockSorter> sorter_;
};

}  // namespace

std::size_t block_pass_device_bytes(const BlockPassSize& size, const GpuSorterOptions& options) {
  if (options.gpus.empty()) throw GpuError("no GPU to sort blocks on");
  cuda_check(cudaSetDevice(options.gpus.front()));
  return pass_bytes(size, CudaExecutor::scratch_of(size, record_sorter(options), string_sorter(options.string_sorter)),
                    options.form);
}

std::unique_ptr<GpuBlockSorter> make_gpu_block_sorter(const GpuSorterOptions& options, MemoryBudget& budget) {
  return std::make_unique<ArenaBlockSorter>(options, budget);
}

}  // namespace spillway
