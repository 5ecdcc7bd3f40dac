// `gpu-string-merge`: merge sort of strings by cached prefixes, ties broken from global memory (Davidson et al. 2012,
// 4). Comparisons start behind the prefix that is known to be shared (sort/gpu/lcp_merge.hpp).
#pragma once

#include "sort/gpu/device_string_sorter.hpp"

namespace spillway {

// Scratch: 32 bytes a string and 48 a tile. O(n log n) steps, of which those on equal cached prefixes read strings.
class GpuStringMergeSorter final : public DeviceStringSorter {
 public:
  std::string_view name() const override { return "gpu-string-merge"; }
  std::size_t scratch_bytes(std::size_t count, std::size_t total_bytes) const override;
  void sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps, std::uint8_t* d_scratch,
            GpuStreamHandle stream) const override;
};

}  // namespace spillway
