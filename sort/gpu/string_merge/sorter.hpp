// `gpu-string-merge`: merge sort of strings by cached prefixes (Davidson, Tarjan, Garland, Owens 2012, section 4).
// After the merges, strings with equal prefixes are neighbours: each group of them is sorted by how its strings compare
// with a pivot (sort/gpu/string_merge/prefix_key.hpp).
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// Stable. O(n log n) comparisons of keys; each round reads each of its strings once, and waits for one counter.
// Scratch: 24 bytes a string, and less than 1 % for tiles and groups.
class GpuStringMergeSorter final : public DeviceStringSorter {
 public:
  std::string_view name() const override { return "gpu-string-merge"; }
  std::size_t scratch_bytes(std::size_t count, std::size_t total_bytes) const override;
  void sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps, std::uint8_t* d_scratch,
            GpuStreamHandle stream) const override;
};

}  // namespace spillway
