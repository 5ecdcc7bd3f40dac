// The merge sort of Davidson, Tarjan, Garland and Owens (2012), section 3, as their text has it, for items of any kind.
// Blocks of 1024 are sorted with eight items a thread; a merge gives each item its place: its rank in its own run plus
// its rank in the other, by a binary search for a thread's first item and linear ones for the next. Items of one run
// are in registers, a window of the other is in shared memory; then the runs change roles.
//
// A linear search that finds no place in kLinearSteps items goes on in doubled steps. The text does not say so: its
// runs have equal lengths, where longer searches are rare. The last pair of a count that is no multiple of a run may
// merge 16,384 items with 576, whose places are 28 items apart.
//
// An Order has `less(a, b)`, which may read device memory, and `end(level)`, which every thread calls last.
#pragma once

#include <cstdint>

namespace spillway::merge_paper {

inline constexpr unsigned kThreads = 128, kItems = 8;  // of a thread
inline constexpr unsigned kTile = kThreads * kItems;   // 1024: a block, and the window in registers
inline constexpr unsigned kWindow = 2 * kTile;         // in shared memory: larger, as the paper advises
inline constexpr unsigned kLinearSteps = 8;            // in runs of equal lengths enough for 255 searches of 256

// Whether item `y` of the other run comes before `x`: of equal items the left run's do.
template <typename Item, typename Order>
__device__ bool comes_before(const Item& y, const Item& x, bool x_is_left, Order& order) {
  return x_is_left ? order.less(y, x) : !order.less(x, y);
}

// Returns the first place in [begin, end) whose item does not come before `x`.
template <typename Index, typename Item, typename Order>
__device__ Index binary_search(const Item* items, Index begin, Index end, const Item& x, bool x_is_left, Order& order) {
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    if (comes_before(items[middle], x, x_is_left, order)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

template <typename Item, typename Order>
__device__ unsigned linear_search(const Item* items, unsigned begin, unsigned end, const Item& x, bool x_is_left,
                                  Order& order) {
  for (const unsigned last = min(end, begin + kLinearSteps); begin < last; ++begin) {
    if (!comes_before(items[begin], x, x_is_left, order)) return begin;
  }
  unsigned step = kLinearSteps;
  while (end - begin > step && comes_before(items[begin + step - 1], x, x_is_left, order)) {
    begin += step;
    step *= 2;
  }
  return binary_search(items, begin, min(end, begin + step), x, x_is_left, order);
}

// Sorts the first `count` of a thread's items: exchanges of neighbours only, so equal items keep their order.
template <typename Item, typename Order>
__device__ void sort_in_registers(Item (&own)[kItems], unsigned count, Order& order) {
#pragma unroll
  for (unsigned pass = 0; pass < kItems; ++pass) {
#pragma unroll
    for (unsigned i = pass % 2; i + 1 < kItems; i += 2) {
      if (i + 1 < count && order.less(own[i + 1], own[i])) {
        const Item item = own[i];
        own[i] = own[i + 1];
        own[i + 1] = item;
      }
    }
  }
}

// Merges the runs of `width` items in a tile of `count` in shared memory, in pairs.
template <typename Item, typename Order>
__device__ void merge_in_tile(Item* s_tile, unsigned count, unsigned width, Item (&own)[kItems], unsigned own_count,
                              Order& order) {
  const unsigned base = threadIdx.x * kItems;
  const unsigned pair = base / (2 * width) * (2 * width), left_end = min(pair + width, count);
  const bool is_left = base < pair + width;
  const unsigned begin = is_left ? left_end : pair, end = is_left ? min(pair + 2 * width, count) : left_end;
  const unsigned before = is_left ? base : base - width;  // the pair's begin, and the items before mine in my run
  unsigned places[kItems], at = begin;
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (i >= own_count) break;
    at = i == 0 ? binary_search(s_tile, begin, end, own[i], is_left, order)
                : linear_search(s_tile, at, end, own[i], is_left, order);
    places[i] = before + i + (at - begin);
  }
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (i < own_count) s_tile[places[i]] = own[i];
  }
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (i < own_count) own[i] = s_tile[base + i];
  }
}

template <typename Item, typename Order>
__global__ __launch_bounds__(kThreads) void sort_blocks_kernel(Item* d_items, std::uint64_t count, Order order) {
  __shared__ Item s_tile[kTile];
  const std::uint64_t first = std::uint64_t{blockIdx.x} * kTile;
  const auto tile_count = static_cast<unsigned>(min(static_cast<unsigned long long>(count - first), 1ull * kTile));
  const unsigned base = threadIdx.x * kItems;
  const unsigned own_count = base >= tile_count ? 0 : min(tile_count - base, kItems);
  Item own[kItems];
  for (unsigned i = threadIdx.x; i < tile_count; i += kThreads) s_tile[i] = d_items[first + i];
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (i < own_count) own[i] = s_tile[base + i];
  }
  sort_in_registers(own, own_count, order);
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (i < own_count) s_tile[base + i] = own[i];
  }
  for (unsigned width = kItems; width < kTile; width *= 2) {
    __syncthreads();
    merge_in_tile(s_tile, tile_count, width, own, own_count, order);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < tile_count; i += kThreads) d_items[first + i] = s_tile[i];
  order.end(0);
}

// A merge of all pairs of runs of `width` items. Each run of a pair has `parts` blocks that give its items their
// places.
struct Level {
  std::uint64_t count, width;
  unsigned parts, number;  // number: 1 for the first merge
};

// The run whose items a block places, and the other one.
struct Runs {
  std::uint64_t own_begin, own_end, other_begin, other_end, pair_begin;
  bool is_left;
};

__device__ inline Runs runs_of_block(const Level& level) {
  const std::uint64_t pair = blockIdx.x / (2 * level.parts) * 2 * level.width;
  const auto at = [&](std::uint64_t place) { return place < level.count ? place : level.count; };
  const std::uint64_t middle = at(pair + level.width), end = at(pair + 2 * level.width);
  const bool is_left = blockIdx.x % 2 == 0;
  return is_left ? Runs{pair, middle, middle, end, pair, true} : Runs{middle, end, pair, middle, pair, false};
}

template <typename Item, typename Order>
__global__ __launch_bounds__(kThreads) void merge_kernel(const Item* d_from, Item* d_to, Level level, Order order) {
  __shared__ Item s_window[kWindow];
  __shared__ unsigned long long s_next;
  const Runs runs = runs_of_block(level);
  const unsigned part = blockIdx.x / 2 % level.parts;
  const std::uint64_t tiles = (runs.own_end - runs.own_begin + kTile - 1) / kTile;
  const std::uint64_t first = tiles * part / level.parts, last = tiles * (part + 1) / level.parts;
  if (first < last && threadIdx.x == 0) {
    s_next = binary_search(d_from, runs.other_begin, runs.other_end, d_from[runs.own_begin + first * kTile],
                           runs.is_left, order);
  }
  for (std::uint64_t tile = first; tile < last; ++tile) {
    const std::uint64_t base = runs.own_begin + tile * kTile + threadIdx.x * kItems;
    const std::uint64_t tile_end = min(static_cast<unsigned long long>(runs.own_begin + (tile + 1) * kTile),
                                       static_cast<unsigned long long>(runs.own_end));
    const unsigned own_count =
        base >= tile_end ? 0
                         : static_cast<unsigned>(min(static_cast<unsigned long long>(tile_end - base), 1ull * kItems));
    Item own[kItems];
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (i < own_count) own[i] = d_from[base + i];
    }
    __syncthreads();
    std::uint64_t window = s_next;  // the place of the last item of the tile before: no earlier one is needed
    unsigned done = 0;
    for (bool is_placed = false; !is_placed;) {
      __syncthreads();
      const auto size =
          static_cast<unsigned>(min(static_cast<unsigned long long>(runs.other_end - window), 1ull * kWindow));
      for (unsigned i = threadIdx.x; i < size; i += kThreads) s_window[i] = d_from[window + i];
      __syncthreads();
      const bool is_last = window + size == runs.other_end;
      unsigned at = 0;
      bool is_first = true;
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) {
        if (i != done || i >= own_count) continue;
        at = is_first ? binary_search(s_window, 0u, size, own[i], runs.is_left, order)
                      : linear_search(s_window, at, size, own[i], runs.is_left, order);
        is_first = false;
        if (at == size && !is_last) continue;  // its place is in a later window
        const std::uint64_t before = window + at - runs.other_begin;
        d_to[runs.pair_begin + (base + i - runs.own_begin) + before] = own[i];
        done = i + 1;
        if (base + i + 1 == tile_end) s_next = window + at;
      }
      is_placed = __syncthreads_and(done == own_count) != 0;
      if (!is_placed) window += size;
    }
  }
  order.end(level.number);
}

}  // namespace spillway::merge_paper
