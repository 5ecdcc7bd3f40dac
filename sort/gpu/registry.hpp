// The GPU sorters by name. Every build knows the names; only a build with CUDA has the sorters (registry_cuda.cpp, and
// no_gpu.cpp without CUDA).
#pragma once

#include <string_view>
#include <vector>

#include "sort/gpu/interface/record_sorter.hpp"
#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

struct GpuSorterName {
  std::string_view name;
  bool stable;
};
const std::vector<GpuSorterName>& gpu_record_sorter_names();
const std::vector<std::string_view>& gpu_string_sorter_names();

// Return the sorters in the order of their names; none in a build without CUDA.
const std::vector<const DeviceRecordSorter*>& device_record_sorters();
const std::vector<const DeviceStringSorter*>& device_string_sorters();

// Null where this program has no sorter of that name.
const DeviceRecordSorter* find_device_record_sorter(std::string_view name);
const DeviceStringSorter* find_device_string_sorter(std::string_view name);

// The baselines that only `bench sort --baselines` runs, in turns with the sorters. "cub-radix":
// cub::DeviceRadixSort::SortKeys with a DoubleBuffer. "prefix-records": CUB's stable merge sort of records of an 8-byte
// prefix, offset, length and number, whose comparison reads the strings where the prefixes are equal.
const std::vector<const DeviceRecordSorter*>& device_record_baselines();
const std::vector<const DeviceStringSorter*>& device_string_baselines();

// Forms of gpu-string-radix:paper without one of its optimisations, or both, for the tables of its paper.
const std::vector<const DeviceStringSorter*>& device_string_variants();

// Searches the sorters, then variants and baselines; null where neither has that name.
const DeviceRecordSorter* find_device_record_contestant(std::string_view name);
const DeviceStringSorter* find_device_string_contestant(std::string_view name);

}  // namespace spillway
