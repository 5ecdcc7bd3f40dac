// The lanes of a merge on GPUs. Plain C++: in a program without CUDA no lanes are made.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "indexer/gpu/merge/batch_memory.hpp"
#include "io/memory/budget.hpp"
#include "merge/index/batch_lane.hpp"

namespace spillway {

struct GpuBatchOptions {
  std::vector<int> gpus;
  unsigned lanes = 1;  // at most, on all GPUs together: one for each thread that merges
  bool has_positions = false;
  bool takes_less = true;  // fewer arenas of device memory than lanes, where no more fit; GpuMemoryError if not
};

// Allocates pinned and device memory for as many lanes as `budget`, which lives longer, and the GPUs have room for.
// Returns nullptr for none. GpuError.
std::unique_ptr<BatchLanes> make_gpu_batch_lanes(const GpuBatchOptions& options, MemoryBudget& budget);

// The largest batch of a lane and of the large one, and the host memory that a lane takes for it: pinned, and what a
// batch becomes.
BatchLimits gpu_batch_limits(bool has_positions);
BatchLimits large_batch_limits(bool has_positions);
std::size_t gpu_batch_lane_bytes(const BatchLimits& limits);

}  // namespace spillway
