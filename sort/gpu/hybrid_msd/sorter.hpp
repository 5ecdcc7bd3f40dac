// `hybrid-msd`: the CPU cuts the first 8 bytes off the strings, the GPU sorts these prefixes from the most significant
// digit on, and the CPU finishes the buckets of equal prefixes (Drozd, Pericas, Matsuoka 2014, III.B and IV.B). Only
// prefixes and the order cross the bus. For strings in host memory.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sort/gpu/hybrid_msd/prefix_sort.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Stable. O(n) to sort prefixes; buckets of equal ones take the time of caching multikey quicksort. Scratch: 32 bytes a
// string for the CPU's buckets, and two staging buffers of up to 8 MiB for the copies. Device memory: gpu_prefix_sort.
// Without a GPU sort() throws GpuError with the reason.
class HybridMsdSorter : public StringSorter {
 public:
  // `gpus`: as of gpu_prefix_sort().
  explicit HybridMsdSorter(std::vector<int> gpus = {}) : gpus_(std::move(gpus)) {}

  std::string_view name() const override { return "hybrid-msd"; }
  bool needs_gpu() const override { return true; }
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;

 private:
  // gpu_prefix_sort(); tests override it to sort without a GPU.
  virtual std::unique_ptr<PrefixSort> make_prefix_sort(std::size_t count, std::span<std::uint8_t> memory) const;
  std::vector<int> gpus_;
};

}  // namespace spillway
