// `gpu-string-merge:paper`: the string sort of Davidson, Tarjan, Garland and Owens (2012), section 4, as their text has
// it: their merge sort of (first four bytes, address), which reads the strings at once where four bytes are equal. For
// comparison with gpu-string-merge, its modern form.
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// Stable. O(n log n) comparisons, each of O(tie) reads. Scratch: 16 bytes a string. Requires: strings shorter than 2^32
// bytes.
class GpuStringMergePaperSorter final : public DeviceStringSorter {
 public:
  std::string_view name() const override { return "gpu-string-merge:paper"; }
  std::size_t scratch_bytes(std::size_t count, std::size_t total_bytes) const override;
  void sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps, std::uint8_t* d_scratch,
            GpuStreamHandle stream) const override;
  // Steps: the sort of blocks and each merge, with the comparisons that read strings (the paper's figure 8a).
  SortSteps sort_in_steps(const DeviceStrings& strings, std::uint32_t* d_order, std::uint8_t* d_scratch,
                          GpuStreamHandle stream) const override;
};

}  // namespace spillway
