// `cpu-multikey`: caching multikey quicksort (Bentley and Sedgewick 1997; Ng and Kakehi 2008) over 8-byte caches, tasks
// over the partitions. The default where prefixes are long; needs no histograms.
#pragma once

#include "sort/string_sorter.hpp"

namespace spillway {

// Scratch: 32 bytes a string, because partitions are stable and branch-free. O(distinguishing prefix + n log n) with a
// bound of 64 more levels for bad pivots; common prefixes are skipped, and equal strings are found equal in one look.
class MultikeySorter final : public StringSorter {
 public:
  std::string_view name() const override { return "cpu-multikey"; }
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;
};

}  // namespace spillway
