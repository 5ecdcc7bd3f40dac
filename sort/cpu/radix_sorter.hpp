// `cpu-radix`: least-significant-digit radix sort, the CPU default for block-wide record sorts. Only digits that differ
// between keys cost a pass; writes are gathered to whole cache lines first (software write-combining).
#pragma once

#include "sort/interface/record_sorter.hpp"

namespace spillway {

// Stable; scratch is one copy of the keys and the histograms. O(n) per 8 live bits, parallel over ranges of the input.
class RadixSorter final : public RecordSorter {
 public:
  std::string_view name() const override { return "cpu-radix"; }
  bool stable() const override { return true; }
  std::size_t scratch_bytes(std::size_t count, BitRange bits) const override;
  void sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t> scratch) const override;
};

}  // namespace spillway
