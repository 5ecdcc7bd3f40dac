// `cpu-msd`: parallel most-significant-digit radix sort (Drozd et al. 2014, III.A). It takes a histogram of the first
// symbols for each range of strings, scatters the strings to buckets, and sorts the buckets as tasks. The default for
// sets with short distinguishing prefixes, also with many duplicates.
#pragma once

#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Time: O(bytes of the distinguishing prefixes). Common prefixes are skipped, and equal strings are recognised in one
// scan. Scratch: 32 bytes a string, and up to 17 histograms of 64 KiB for 131,072 strings or more. Stable.
class MsdSorter final : public StringSorter {
 public:
  std::string_view name() const override { return "cpu-msd"; }
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;
  // Steps as in Drozd et al., figures 3 and 4: "load" (first bytes of each string), "histogram" and "move keys" of the
  // passes of all threads, and "recursion" (their buckets, as tasks).
  SortSteps sort_in_steps(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                          std::span<std::uint8_t> scratch) const override;
};

}  // namespace spillway
