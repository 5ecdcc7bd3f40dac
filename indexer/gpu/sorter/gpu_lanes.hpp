// Makes the lanes that sort blocks on GPUs. Plain C++: in a program without CUDA everything here throws GpuError.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "indexer/gpu/pipeline/gpu_lane.hpp"
#include "indexer/gpu/pipeline/staying_rule.hpp"
#include "indexer/gpu/steps/block_pass_size.hpp"

namespace spillway {

struct GpuSorterOptions {
  ChunkForm form = ChunkForm::kTables;  // of all chunks; or kTokens
  std::vector<int> gpus;
  unsigned lanes = 2;             // on each GPU
  unsigned arenas = 2;            // on each GPU; more lanes than arenas take turns (ArenaPool)
  std::size_t arena_bytes = 0;    // device memory of each arena
  bool holds_lists = false;       // lists that are kept stay on the GPU, too, in up to half of what is free there
  StayingRule staying;            // whether the host gets no copies of these; it does where not all would fit there
  std::size_t staging_bytes = 0;  // pinned host memory of all lanes together; paid from the budget
  std::string record_sorter;      // of device_record_sorters(); not read for kTokens, whose keys gpu-radix sorts
  std::string string_sorter;      // of device_string_sorters()

  unsigned all_lanes() const { return lanes * static_cast<unsigned>(gpus.size()); }
};

// Returns the most device memory that the pass over a block takes. Subadditive: a sum of sizes needs no more than the
// sizes one by one. Asks the first GPU of the options if the answer depends on it (CUB's scratch), and makes it the
// calling thread's current one. Reads only `form`, `gpus` and the sorters. Throws GpuError if the GPU is lost, and
// UsageError for unknown sorters.
std::size_t block_pass_device_bytes(const BlockPassSize& size, const GpuSorterOptions& options);

// Allocates device and pinned memory for all lanes. Neighbouring lanes are on different GPUs. The budget must outlive
// them. Throws UsageError for unknown sorters, GpuMemoryError, GpuError and BudgetError.
std::vector<std::unique_ptr<GpuLane>> make_gpu_lanes(const GpuSorterOptions& options, MemoryBudget& budget);

}  // namespace spillway
