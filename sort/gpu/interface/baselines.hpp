// What `bench sort --baselines` measures beside the sorters, in turns with them, and nothing else uses: the library's
// sort called directly, and the simple method that a user of the library would write.
#pragma once

#include <string_view>
#include <vector>

#include "sort/gpu/interface/record_sorter.hpp"
#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// None in a program that was built without CUDA. "cub-radix": cub::DeviceRadixSort::SortKeys with its DoubleBuffer.
const std::vector<const DeviceRecordSorter*>& device_record_baselines();

// The same. "prefix-records": CUB's stable merge sort of records of eight bytes of prefix, offset, length and number,
// whose comparison reads the strings where prefixes are equal. The plain comparator is `gpu-string-thrust`.
const std::vector<const DeviceStringSorter*>& device_string_baselines();

// Of the sorters and the baselines; null where there is none of this name.
const DeviceRecordSorter* find_device_record_contestant(std::string_view name);
const DeviceStringSorter* find_device_string_contestant(std::string_view name);

}  // namespace spillway
