// The order of strings in memory, as a permutation, by a string sorter within a limit of memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "io/memory/budget.hpp"
#include "sort/interface/string_sorter.hpp"
#include "sort/library/sort.hpp"

namespace spillway {

// Sorts when it is made. Parallel inside the calling thread's TBB arena. The strings outlive it; their views need not.
class SortedReferences {
 public:
  // `more_bytes`: for each string, that its owner takes as well. Unless `lcps` is empty, it has a place for each string
  // and gets the LCPs. Throws UsageError, BudgetError, and what the sorter throws.
  SortedReferences(std::span<const std::string_view> strings, const StringSortOptions& options,
                   std::size_t more_bytes = 0, std::span<std::uint32_t> lcps = {});

  std::span<const std::uint32_t> order() const { return order_; }
  std::string_view string(std::size_t i) const { return references_[order_[i]].view(); }

 private:
  void place(std::span<const std::string_view> strings);
  void reverse(std::span<std::uint32_t> lcps);
  bool is_repeated(std::size_t i) const { return i != 0 && string(i) == string(i - 1); }

  MemoryBudget budget_;
  Buffer buffer_;  // [ references | order | scratch of the sorter ]
  std::span<StringRef> references_;
  std::span<std::uint32_t> order_;
};

}  // namespace spillway
