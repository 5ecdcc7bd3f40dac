// `gpu-string-merge` on the CPU: the same keys, groups and rounds as its kernels.
#pragma once

#include "sort/gpu/string_merge/shape.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

class StringMergeHostForm final : public StringSorter {
 public:
  std::string_view name() const override { return "gpu-string-merge"; }
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;
};

// Sorts groups of an order as sort/gpu/string_merge/group_sort.hpp does. MergeGroup::first is not used.
void sort_groups_by_pivots(const DeviceStrings& strings, std::span<std::uint32_t> order,
                           std::span<const MergeGroup> groups);

// Returns how many times this sort compares strings with a pivot: once for each small group, and once for all large
// groups of a round together.
std::size_t string_merge_comparisons(std::span<const StringRef> strings);

}  // namespace spillway
