// `gpu-merge:satish` on the CPU: the same step logic in the order of the kernels.
#pragma once

#include "sort/gpu/merge/records.hpp"
#include "sort/interface/record_sorter.hpp"

namespace spillway {

class SatishMergeHostForm final : public RecordSorter {
 public:
  std::string_view name() const override { return "gpu-merge:satish"; }
  bool stable() const override { return true; }
  std::size_t scratch_bytes(std::size_t count, BitRange bits) const override;
  void sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t> scratch) const override;
};

// Sorts keys with values in `records`; `other` is scratch of the same length.
void satish_merge_sort_pairs_on_host(RecordArray<true> records, RecordArray<true> other, std::size_t count,
                                     BitRange bits);

}  // namespace spillway
