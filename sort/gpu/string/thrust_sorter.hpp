// `gpu-string-thrust`: Thrust's merge sort of indices with a string comparator, the baseline of the papers.
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// Every comparison reads both strings from memory until they differ.
class GpuStringThrustSorter final : public DeviceStringSorter {
 public:
  std::string_view name() const override { return "gpu-string-thrust"; }
  std::size_t scratch_bytes(std::size_t count, std::size_t total_bytes) const override;
  void sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps, std::uint8_t* d_scratch,
            GpuStreamHandle stream) const override;
};

}  // namespace spillway
