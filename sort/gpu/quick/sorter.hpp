// `gpu-quick`: a quicksort of keys in device memory, which Capannini et al. 2012 compare with (section 6). Source:
// Cederman, Tsigas, "GPU-Quicksort: A practical quicksort algorithm for graphics processors", 2010; see
// docs/sorters.md.
#pragma once

#include "sort/gpu/interface/record_sorter.hpp"

namespace spillway {

// Not stable. Expected O(n log n) in O(log n) rounds, and at most 112 rounds whatever the keys are; the host waits for
// the stream in each. Scratch: a second copy of the keys, and 0.09 bytes a key for segments.
class GpuQuickSorter final : public DeviceRecordSorter {
 public:
  std::string_view name() const override { return "gpu-quick"; }
  bool stable() const override { return false; }
  std::size_t scratch_bytes(std::size_t count, BitRange bits) const override;
  std::uint64_t* sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                      GpuStreamHandle stream) const override;
};

}  // namespace spillway
