// Sorts few items by their caches, without a branch that depends on them: the last step of a quicksort of items
// (sort/lines/block/item_sorter.hpp).
#pragma once

#include <cstddef>
#include <span>

#include "sort/lines/block/items.hpp"

namespace spillway {

inline constexpr std::size_t kMostSmallItems = 32;

// Sorts at most kMostSmallItems items by their caches. Stable.
using SmallSort = void (*)(std::span<LineItem> items);

struct SmallSortKernel {
  const char* name;
  SmallSort sort;
};

// Those that this processor can run; the last one is the fastest.
std::span<const SmallSortKernel> all_small_sort_kernels();
SmallSort small_sort();

}  // namespace spillway
