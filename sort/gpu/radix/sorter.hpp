// `gpu-radix`: CUB's onesweep radix sort (cub::DeviceRadixSort with DoubleBuffer) by the bits of the range alone.
#pragma once

#include "sort/gpu/interface/record_sorter.hpp"

namespace spillway {

// Stable. O(n) a pass of 8 bits: moves 8 bytes a key once for the histograms, and 16 in each pass. Scratch: one copy of
// the keys (and values), and CUB's own, under 2 % of that.
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

// "cub-radix" of device_record_baselines(): CUB's sort called as its documentation calls it, without our special cases.
const DeviceRecordSorter& cub_radix_baseline();

}  // namespace spillway
