// `gpu-radix:satish` on the CPU: the programs of sort/gpu/radix/satish_tile.hpp thread by thread, with memory
// instead of a block's registers and shared memory.
#pragma once

#include "sort/interface/record_sorter.hpp"

namespace spillway {

// Works in the GPU's order, which does not suit a CPU. Allocates its second copy of the keys. The tiles of a pass run
// in parallel.
class SatishRadixHostForm final : public RecordSorter {
 public:
  std::string_view name() const override { return "gpu-radix:satish"; }
  bool stable() const override { return true; }
  std::size_t scratch_bytes(std::size_t, BitRange) const override { return 0; }
  void sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t> scratch) const override;
};

}  // namespace spillway
