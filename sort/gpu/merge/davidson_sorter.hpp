// `gpu-merge:davidson`: the merge sort of Davidson, Tarjan, Garland, Owens, "Efficient Parallel Merge Sort for Fixed
// and Variable Length Keys" (2012), section 3, in a modern form. docs/sorters.md lists the differences.
#pragma once

#include "sort/gpu/interface/record_sorter.hpp"

namespace spillway {

// Stable; compares the bits of the range only. O(n log n) comparisons. Moves 16 bytes a key in the sort of tiles and in
// each of the log4(count / tile) merges of four runs. Scratch: one copy of the keys (and values), and 32 bytes for each
// tile of 4096 keys (2048 pairs).
class GpuDavidsonSorter final : public DeviceRecordSorter {
 public:
  std::string_view name() const override { return "gpu-merge:davidson"; }
  bool stable() const override { return true; }
  std::size_t scratch_bytes(std::size_t count, BitRange bits) const override;
  std::uint64_t* sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                      GpuStreamHandle stream) const override;
  bool has_pairs() const override { return true; }
  std::size_t pairs_scratch_bytes(std::size_t count, BitRange bits) const override;
  Pairs sort_pairs(Pairs pairs, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                   GpuStreamHandle stream) const override;
};

}  // namespace spillway
