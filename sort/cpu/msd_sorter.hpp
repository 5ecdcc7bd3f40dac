// `cpu-msd`: parallel most-significant-digit radix sort (Drozd et al. 2014, III.A): histograms of the first symbols per
// range of strings, a scatter, then tasks over the buckets. The default for short strings, also with many duplicates.
#pragma once

#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Scratch: 32 bytes a string, and the histograms of large sets. O(distinguishing prefix) byte reads; common prefixes
// are skipped, and equal strings are found equal in one look.
class MsdSorter final : public StringSorter {
 public:
  std::string_view name() const override { return "cpu-msd"; }
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;
};

}  // namespace spillway
