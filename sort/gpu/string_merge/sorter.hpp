// `gpu-string-merge`: merge sort of strings by cached prefixes, ties broken from global memory (Davidson et al. 2012,
// 4). Ties are strings of equal prefixes that stand next to each other when these are merged: each group of them is
// then sorted by how its strings compare with one of them (sort/gpu/string_merge/prefix_key.hpp).
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// Scratch: 24 bytes a string, and a little for tiles and groups. O(n log n) steps on keys; a string is read once a
// round, of which each ends what equals one of the strings that it is compared with.
class GpuStringMergeSorter final : public DeviceStringSorter {
 public:
  std::string_view name() const override { return "gpu-string-merge"; }
  std::size_t scratch_bytes(std::size_t count, std::size_t total_bytes) const override;
  void sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps, std::uint8_t* d_scratch,
            GpuStreamHandle stream) const override;
};

}  // namespace spillway
