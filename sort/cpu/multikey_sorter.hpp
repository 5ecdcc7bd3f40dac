// `cpu-multikey`: caching multikey quicksort (Bentley and Sedgewick 1997; Ng and Kakehi 2008) over 8-byte caches, tasks
// over the partitions. The default where prefixes are long; needs no histograms.
#pragma once

#include <memory>

#include "sort/cpu/string_items.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

class MultikeySort;

// Scratch: 32 bytes a string, because partitions are stable and branch-free. O(distinguishing prefix + n log n) with a
// bound of 64 more levels for bad pivots; common prefixes are skipped, and equal strings are found equal in one look.
class MultikeySorter final : public StringSorter {
 public:
  std::string_view name() const override { return "cpu-multikey"; }
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;
};

// Sorts parts of a set whose first bytes something else has sorted. Strings, order and scratch outlive it; finish() may
// be called from several threads at once, for segments that do not overlap.
class MultikeyFinisher {
 public:
  static std::size_t scratch_bytes(std::size_t count) { return MultikeySorter().scratch_bytes(count); }
  MultikeyFinisher(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint8_t> scratch);
  ~MultikeyFinisher();

  // A segment's places of the order hold its strings in index order; they share `depth` bytes and are equal in the 8
  // behind (zeros behind a string's end). Parts of large segments may be left for wait().
  void finish(std::span<const StringSegment> segments);
  void wait();

 private:
  std::span<const StringRef> strings_;
  std::span<std::uint32_t> order_;
  std::span<StringItem> items_;
  std::unique_ptr<MultikeySort> sort_;
};

}  // namespace spillway
