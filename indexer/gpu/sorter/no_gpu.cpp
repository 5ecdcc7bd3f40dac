// What stands in for visits in a program that was built without CUDA.
#include "indexer/gpu/sorter/block_sorter.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/status.hpp"

namespace spillway {

std::size_t block_pass_device_bytes(const BlockPassSize&, const GpuSorterOptions&) {
  throw GpuError(find_gpus().detail);
}

std::unique_ptr<GpuBlockSorter> make_gpu_block_sorter(const GpuSorterOptions&, MemoryBudget&) {
  throw GpuError(find_gpus().detail);
}

}  // namespace spillway
