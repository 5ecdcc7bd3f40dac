// Which GPU sorter orders a block's records, and how large blocks may be for it: a pure decision from the budgets and
// from costs that were measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sort/sort_plan.hpp"

namespace spillway {

// What things cost, in seconds: as measured on one H200 with 16 processors, docs/results/calibration_h200.json;
// `spillway bench calibrate` measures them again.
struct GpuSortCosts {
  double radix_second_per_record = 1 / 22.8e9;   // gpu-radix, 40 live bits
  double bitonic_second_per_record = 1 / 8.6e9;  // gpu-bitonic
  // Of the merge, for each term of each run: what more and smaller runs cost. 130 ns of one thread (measured on two
  // processors), with 16 of them working.
  double merge_second_per_entry = 130e-9 / 16;
};

// Distinct terms of a block of so many records, about: they grow with its root (Heaps' law, 40 * sqrt(n) on RFCs and on
// package descriptions).
double expected_terms(double records);

struct GpuSortPlanInput {
  std::size_t host_block_bytes = 0;  // what the host budget allows a block
  std::size_t arena_bytes = 0;       // device memory of one block
  // Device memory for a byte of host block, with gpu-radix and with gpu-bitonic.
  double radix_device_bytes = 0, bitonic_device_bytes = 0;
  double records_per_block_byte = 0;
  std::uint64_t total_block_bytes = 0;  // of the whole job, in bytes of blocks; 0: unknown
};

struct GpuSortPlan {
  SorterChoice sorter;
  std::size_t block_bytes = 0;  // of the host: within both budgets
};

// `name`: "auto" or a GPU record sorter's name (UsageError else). gpu-radix needs memory for a second copy of the keys:
// it is taken while blocks fit so; where they would have to be smaller than with gpu-bitonic, which sorts in place,
// what sorts and merges sooner is taken.
GpuSortPlan choose_gpu_record_sorter(std::string_view name, const GpuSortPlanInput& input, const GpuSortCosts& costs);

// `name`: "auto" or a GPU string sorter's name (UsageError else).
SorterChoice choose_gpu_string_sorter(std::string_view name);

}  // namespace spillway
