// `gpu-merge`: CUB's merge sort (cub::DeviceMergeSort), the comparison sort that the papers' merge sorts are measured
// against.
#pragma once

#include "sort/gpu/interface/record_sorter.hpp"

namespace spillway {

// Stable; compares the bits of the range only. O(n log n) comparisons. Moves 16 bytes a key in the sort of tiles of
// 2048 keys and in each of the log2(count / 2048) merges. Scratch: one copy of the keys (and values), and CUB's own.
class GpuMergeSorter final : public DeviceRecordSorter {
 public:
  std::string_view name() const override { return "gpu-merge"; }
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
