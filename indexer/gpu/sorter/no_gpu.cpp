// Stands in for gpu_lanes.cu in a program that was built without CUDA.
#include "indexer/gpu/sorter/gpu_lanes.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/status.hpp"

namespace spillway {

std::size_t block_pass_device_bytes(const BlockPassSize&, const GpuSorterOptions&) {
  throw GpuError(find_gpus().detail);
}

std::vector<std::unique_ptr<GpuLane>> make_gpu_lanes(const GpuSorterOptions&, MemoryBudget&) {
  throw GpuError(find_gpus().detail);
}

}  // namespace spillway
