// The passes of the paper's merge sort over items in device memory.
#pragma once

#include <algorithm>

#include "sort/gpu/device/launch_shape.cuh"
#include "sort/gpu/device/memory.hpp"
#include "sort/gpu/merge_paper/kernels.cuh"

namespace spillway::merge_paper {

// Sorts; d_items and d_other take turns. `border(level)` is called before the block sort (0), before each merge (1, 2,
// ...), and after the last pass. Returns where the result will be. The merges are the paper's simple ones (a block for
// each run) while there are more runs than blocks that fill the GPU, and then its multiple ones: their blocks share
// runs.
template <typename Item, typename Order, typename Border>
Item* sort_items(Item* d_items, Item* d_other, std::uint64_t count, Order order, GpuStreamHandle stream,
                 Border border) {
  unsigned level = 0;
  border(level);
  sort_blocks_kernel<<<blocks_for(count, kTile), kThreads, 0, stream>>>(d_items, count, order);
  check_launch();
  const std::uint64_t resident = resident_blocks(merge_kernel<Item, Order>, kThreads, 0);
  for (std::uint64_t width = kTile; width < count; width *= 2) {
    border(++level);
    const std::uint64_t pairs = (count + 2 * width - 1) / (2 * width);
    const std::uint64_t parts = std::clamp<std::uint64_t>(resident / (2 * pairs), 1, width / kTile);
    merge_kernel<<<blocks_for(pairs * 2 * parts, 1), kThreads, 0, stream>>>(
        d_items, d_other, Level{count, width, static_cast<unsigned>(parts), level}, order);
    check_launch();
    std::swap(d_items, d_other);
  }
  border(level + 1);
  return d_items;
}

}  // namespace spillway::merge_paper
