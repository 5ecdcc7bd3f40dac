// The lanes of a merge on GPUs. Plain C++: in a program without CUDA no lanes are made.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "indexer/gpu/merge/batch_memory.hpp"
#include "indexer/gpu/pipeline/device_lists.hpp"
#include "io/memory/budget.hpp"
#include "merge/index/batch_lane.hpp"

namespace spillway {

// Memory of a job's budget for the lanes of a merge, which is taken before the merge is planned.
struct BatchLaneMemory {
  unsigned lanes = 0;  // 0: too little is free
  Reservation of_lanes;
  Reservation of_large;  // for one large lane more; none where too little is free
};
// For up to `lanes` lanes: a quarter of what is free, and an eighth.
BatchLaneMemory reserve_batch_lanes(bool has_positions, unsigned lanes, MemoryBudget& budget);

struct GpuBatchOptions {
  std::vector<int> gpus;
  unsigned lanes = 1;  // on all GPUs together
  BatchLimits limits = {};
  BatchLimits large = {};              // of the large lane; 0 lists: there is none
  std::uint64_t document_count = 0;    // of the source, at most: tables of them take device memory, too
  std::size_t device_bytes = 0;        // on each GPU, at most; 0: four fifths of what is free
  std::vector<DeviceLists> held = {};  // of all inputs, or none
  std::size_t order_bytes = 0;         // host memory, at most, that their order takes
  bool takes_less = true;  // fewer arenas of device memory than lanes, where no more fit; GpuMemoryError if not
};

// Makes lanes in pinned memory that is reserved already. Where memory is short for the order of lists that GPUs hold,
// they are given up, and threads collect the lists. `budget`, which lives longer, is asked for the lists of the large
// lane. Returns nullptr without CUDA. GpuError.
std::unique_ptr<BatchLanes> make_gpu_batch_lanes(const GpuBatchOptions& options, MemoryBudget& budget);

// The largest batch of a lane and of the large one.
BatchLimits gpu_batch_limits(bool has_positions);
BatchLimits large_batch_limits(bool has_positions);
// The host memory of a lane: pinned memory, a batch that has come back, and another that was written and is used again.
std::size_t gpu_batch_lane_bytes(const BatchLimits& limits);
std::size_t used_batch_bytes(const BatchLimits& limits);
// The most host memory that the order of held lists takes.
std::size_t most_order_bytes(std::span<const DeviceLists> held);

}  // namespace spillway
