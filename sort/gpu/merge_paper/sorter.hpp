// `gpu-merge:paper`: the merge sort of Davidson, Tarjan, Garland and Owens, "Efficient Parallel Merge Sort for Fixed
// and Variable Length Keys" (2012), section 3, as their text has it, for comparison with gpu-merge:davidson, its modern
// form.
#pragma once

#include "sort/gpu/interface/record_sorter.hpp"

namespace spillway {

// Stable; compares the bits of the range. O(n log n): a pass for the blocks of 1024, and one for each doubling.
// Scratch: a second copy of the keys.
class GpuMergePaperSorter final : public DeviceRecordSorter {
 public:
  std::string_view name() const override { return "gpu-merge:paper"; }
  bool stable() const override { return true; }
  std::size_t scratch_bytes(std::size_t count, BitRange) const override { return keys_bytes(count); }
  std::uint64_t* sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                      GpuStreamHandle stream) const override;
};

}  // namespace spillway
