#include "indexer/gpu/merge/gpu_batches.hpp"

namespace spillway {

std::unique_ptr<BatchLanes> make_gpu_batch_lanes(const GpuBatchOptions&, MemoryBudget&) { return nullptr; }

}  // namespace spillway
