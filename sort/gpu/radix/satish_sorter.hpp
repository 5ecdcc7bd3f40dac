// `gpu-radix:satish`: radix sort from the least significant digit on, 4 bits a pass. Tiles of 1024 keys are sorted by
// 1-bit splits before a coalesced scatter. Source: Satish, Harris, Garland 2009, section III; see docs/sorters.md.
#pragma once

#include "sort/gpu/interface/record_sorter.hpp"

namespace spillway {

// Stable. O(n) a pass of 4 bits, which moves 32.5 bytes a key. Scratch: one copy of the keys (and values), and 1/64 of
// the keys' size for histograms.
class GpuSatishRadixSorter final : public DeviceRecordSorter {
 public:
  std::string_view name() const override { return "gpu-radix:satish"; }
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
