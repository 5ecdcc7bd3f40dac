// `cpu-quick`: tbb::parallel_sort, the comparison sort that the papers compare with.
#pragma once

#include "sort/interface/record_sorter.hpp"

namespace spillway {

// O(n log n), in place, unstable: keys that are equal in the bit range are ordered by all their bits.
class QuickSorter final : public RecordSorter {
 public:
  std::string_view name() const override { return "cpu-quick"; }
  bool stable() const override { return false; }
  std::size_t scratch_bytes(std::size_t, BitRange) const override { return 0; }
  void sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t> scratch) const override;
};

}  // namespace spillway
