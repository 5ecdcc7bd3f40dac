// `cpu-radix`: least-significant-digit radix sort, the fastest CPU sorter for a block's records. Only digits that
// differ between keys cost a pass; writes are gathered to whole cache lines first (software write-combining).
#pragma once

#include "sort/interface/record_sorter.hpp"

namespace spillway {

// Time: O(n) for each digit of up to 11 live bits (8 below 2^20 keys), parallel over ranges of the input. Scratch: a
// copy of the keys and up to 32 histograms of 16 KiB. Stable.
class RadixSorter final : public RecordSorter {
 public:
  std::string_view name() const override { return "cpu-radix"; }
  bool stable() const override { return true; }
  std::size_t scratch_bytes(std::size_t count, BitRange bits) const override;
  void sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t> scratch) const override;
};

}  // namespace spillway
