// Device string sorts that are CUB's merge sort with a comparison that reads the strings: the papers' baseline
// `gpu-string-thrust`, and a baseline that keeps prefixes.
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// `gpu-string-thrust`: the merge sort that Thrust's stable_sort runs on indices. Every comparison reads both strings
// from device memory until they differ. Stable. O(n log n) comparisons. Scratch: CUB's, about 4 bytes a string.
class GpuStringThrustSorter final : public DeviceStringSorter {
 public:
  std::string_view name() const override { return "gpu-string-thrust"; }
  std::size_t scratch_bytes(std::size_t count, std::size_t total_bytes) const override;
  void sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps, std::uint8_t* d_scratch,
            GpuStreamHandle stream) const override;
};

// "prefix-records" of device_string_baselines(): records of 24 bytes with an 8-byte prefix, as one first writes on top
// of a library's merge sort. Stable. Scratch: two copies of the records.
const DeviceStringSorter& prefix_record_baseline();

}  // namespace spillway
