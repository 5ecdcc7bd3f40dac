// `gpu-merge:satish` run step by step on the CPU: the kernels' order of steps over the same step logic, for tests
// without a GPU.
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

// Keys with values; `other` has the same length. The result stands in `records`.
void satish_merge_sort_pairs_on_host(RecordArray<true> records, RecordArray<true> other, std::size_t count,
                                     BitRange bits);

}  // namespace spillway
