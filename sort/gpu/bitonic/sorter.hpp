// `gpu-bitonic`: an in-place bitonic sort of keys in device memory, for keys whose second copy would not fit. Source:
// Capannini, Silvestri, Baraglia 2012, section 5; see docs/sorters.md.
#pragma once

#include "sort/gpu/interface/record_sorter.hpp"

namespace spillway {

// Not stable: the bits outside the range break ties, first those below it downwards, then those from bit 63 down. Any
// count. No scratch. O(n log^2 n) comparisons; moves 16 bytes a key in each pass of plan_passes(), 32 passes for 2^28
// keys.
class GpuBitonicSorter final : public DeviceRecordSorter {
 public:
  std::string_view name() const override { return "gpu-bitonic"; }
  bool stable() const override { return false; }
  std::size_t scratch_bytes(std::size_t, BitRange) const override { return 0; }
  std::uint64_t* sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                      GpuStreamHandle stream) const override;
};

}  // namespace spillway
