// `cpu-multikey`: caching multikey quicksort (Bentley and Sedgewick 1997; Ng and Kakehi 2008) over 8-byte caches, with
// tasks over the partitions. The default for sets with long distinguishing prefixes; needs no histograms.
#pragma once

#include <memory>

#include "sort/cpu/string_items.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

class MultikeySort;

// Time: O(bytes of the distinguishing prefixes + n log n); after 3 log n levels of sampled pivots, pivots halve the
// range of values, which takes at most 64 more. Common prefixes are skipped, and equal strings are recognised in one
// scan. Scratch: 32 bytes a string, because partitions are stable and branch-free. Stable.
class MultikeySorter final : public StringSorter {
 public:
  std::string_view name() const override { return "cpu-multikey"; }
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;
};

// Sorts segments of a set whose first bytes another sorter has sorted. Strings, order and scratch outlive it. Several
// threads may call finish(), for segments that do not overlap.
class MultikeyFinisher {
 public:
  static std::size_t scratch_bytes(std::size_t count) { return MultikeySorter().scratch_bytes(count); }
  MultikeyFinisher(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint8_t> scratch);
  ~MultikeyFinisher();

  // The order holds the strings of each segment in index order. They share `depth` bytes and the 8 after them (zeros
  // after a string's end). Tasks for large segments may end only in wait().
  void finish(std::span<const StringSegment> segments);
  void wait();

 private:
  std::span<const StringRef> strings_;
  std::span<std::uint32_t> order_;
  std::span<StringItem> items_;
  std::unique_ptr<MultikeySort> sort_;
};

}  // namespace spillway
