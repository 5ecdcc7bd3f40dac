// `gpu-radix`: CUB's onesweep radix sort (cub::DeviceRadixSort with DoubleBuffer), over the live bits only.
#pragma once

#include "sort/gpu/interface/record_sorter.hpp"

namespace spillway {

// Stable. Scratch: one copy of the keys and CUB's own. Moves 8 bytes a key once for the histograms and 16 for each
// digit of 8 bits.
class GpuRadixSorter final : public DeviceRecordSorter {
 public:
  std::string_view name() const override { return "gpu-radix"; }
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
