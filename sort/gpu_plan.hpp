// Decides which GPU sorter orders a block's records, and how large blocks may be for it: a pure function of the budgets
// and of measured costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sort/sort_plan.hpp"

namespace spillway {

// Costs in seconds, measured on one H200 with 16 processors (docs/results/calibration_h200.json). `spillway bench
// calibrate` measures them again.
struct GpuSortCosts {
  double radix_second_per_record = 1 / 22.8e9;   // gpu-radix, 40 live bits
  double bitonic_second_per_record = 1 / 8.6e9;  // gpu-bitonic
  // The cost of the merge for each term of each run, which grows with the number of runs: 130 ns of one thread
  // (measured on two processors), for 16 threads.
  double merge_second_per_entry = 130e-9 / 16;
};

// An estimate of the distinct terms in a block of `records` records, by Heaps' law: 40 * sqrt(records), which fits RFCs
// and package descriptions.
double expected_terms(double records);

struct GpuSortPlanInput {
  std::size_t host_block_bytes = 0;  // the largest block within the host budget
  std::size_t arena_bytes = 0;       // device memory of one block
  // Bytes of device memory for each byte of a host block, with gpu-radix and with gpu-bitonic.
  double radix_device_bytes = 0, bitonic_device_bytes = 0;
  double records_per_block_byte = 0;
  std::uint64_t total_block_bytes = 0;  // of all blocks of the job; 0: unknown
};

struct GpuSortPlan {
  SorterChoice sorter;
  std::size_t block_bytes = 0;  // on the host; within both budgets
};

// `name`: "auto" or the name of a GPU record sorter; throws UsageError otherwise. gpu-radix is the fastest, but needs
// memory for a second copy of the keys; gpu-bitonic sorts in place. "auto" takes gpu-radix if the largest host blocks
// fit with it; otherwise it takes the sorter whose sorts and merges take less time together.
GpuSortPlan choose_gpu_record_sorter(std::string_view name, const GpuSortPlanInput& input, const GpuSortCosts& costs);

// `name`: "auto" or the name of a GPU string sorter; throws UsageError otherwise.
SorterChoice choose_gpu_string_sorter(std::string_view name);

}  // namespace spillway
