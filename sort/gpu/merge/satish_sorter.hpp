// `gpu-merge:satish`: the merge sort of Satish, Harris, Garland, "Designing Efficient Sorting Algorithms for Manycore
// GPUs" (2009), section IV, made stable. docs/sorters.md lists the differences.
#pragma once

#include "sort/gpu/interface/record_sorter.hpp"

namespace spillway {

// Stable; compares the bits of the range only. O(n log n) comparisons. Moves 16 bytes a key in the sort of tiles and in
// each of the log2(count / 256) merges. Scratch: one copy of the keys (and values), and about 40 bytes for each 256
// keys.
class GpuSatishMergeSorter final : public DeviceRecordSorter {
 public:
  std::string_view name() const override { return "gpu-merge:satish"; }
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
