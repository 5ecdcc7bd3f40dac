#include "indexer/gpu/sorter/host_block_pass.hpp"

#include "indexer/gpu/pipeline/block_pass.hpp"
#include "indexer/gpu/pipeline/host_executor.hpp"
#include "indexer/gpu/sorter/gpu_lanes.hpp"

namespace spillway {

std::unique_ptr<GpuBlockSorter> make_host_block_sorter(const HostBlockPassOptions& options, MemoryBudget& budget) {
  std::vector<std::shared_ptr<HostArenaShare>> shares;
  for (unsigned i = 0; i < options.shares; ++i) {
    shares.push_back(std::make_shared<HostArenaShare>(options.arena_bytes, budget));
  }
  std::vector<std::unique_ptr<GpuLane>> slots;
  for (unsigned i = 0; i < options.visits; ++i) {
    slots.push_back(std::make_unique<BlockPass<HostExecutor>>(shares[i % options.shares], options.records,
                                                              *options.strings, budget));
  }
  return std::make_unique<SlotBlockSorter>(std::move(slots), options.form);
}

std::size_t host_pass_bytes(const BlockPassSize& size, const HostBlockPassOptions& options) {
  return pass_bytes(size, HostExecutor::scratch_of(size, options.records, *options.strings), options.form);
}

}  // namespace spillway
