// The kernels of `gpu-merge:davidson`: tile sort, splits, and merges with a register and a shared window.
#pragma once

#include "sort/gpu/merge/davidson_steps.hpp"

namespace spillway {

// Block sort: eight records a thread in registers, then merges inside the tile, binary search first, linear from there.
template <bool kHasValue>
inline constexpr unsigned kDavidsonSortBytes =
    DavidsonShape<kHasValue>::SortWindow::bytes_of(DavidsonShape<kHasValue>::kTile);

template <bool kHasValue, typename Less>
__global__ __launch_bounds__(DavidsonShape<kHasValue>::kThreads,
                             3) void davidson_tile_sort_kernel(RecordArray<kHasValue> records, std::uint64_t count,
                                                               Less less) {
  using Shape = DavidsonShape<kHasValue>;
  extern __shared__ __align__(16) std::uint8_t shared[];
  const auto window = Shape::SortWindow::at(shared, Shape::kTile);
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * Shape::kTile;
  const unsigned present = static_cast<unsigned>(least(count - begin, std::uint64_t{Shape::kTile}));
  const unsigned first = threadIdx.x * Shape::kPerThread;
  SPILLWAY_UNROLL
  for (unsigned j = 0; j < Shape::kPerThread; ++j) {
    const unsigned i = j * Shape::kThreads + threadIdx.x;
    if (i < present) window.store(i, records.load(begin + i));
  }
  __syncthreads();
  for (unsigned i = 0; i < Shape::kPerThread; i += kSortedInRegisters) {
    sort_in_registers<kHasValue>(window, first + i, present, less);
  }
  __syncthreads();
  for (unsigned run = kSortedInRegisters; run < present; run *= 2) {
    Record<kHasValue> merged[Shape::kPerThread];
    if (first < present) merge_inside_tile<kHasValue>(window, run, first, present, merged, less);
    __syncthreads();
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < Shape::kPerThread; ++i) {
      if (first + i < present) window.store(first + i, merged[i]);
    }
    __syncthreads();
  }
  SPILLWAY_UNROLL
  for (unsigned j = 0; j < Shape::kPerThread; ++j) {
    const unsigned i = j * Shape::kThreads + threadIdx.x;
    if (i < present) records.store(begin + i, window.load(i));
  }
}

inline constexpr unsigned kSplitThreads = 64;

// Where each tile of a merge begins in its four runs. A block's tiles are of one group where a group has that many: its
// first split is searched for in the whole group, the others from there.
template <typename Less>
__global__ __launch_bounds__(kSplitThreads) void davidson_split_kernel(const std::uint64_t* keys, MergePass pass,
                                                                       unsigned tile_shift, std::uint64_t tiles,
                                                                       Less less, Split* splits) {
  __shared__ Split first_split;
  const std::uint64_t first_tile = std::uint64_t{blockIdx.x} * kSplitThreads;
  const std::uint64_t tile = first_tile + threadIdx.x;
  const std::uint64_t first_of_group = tile >> pass.group_shift << pass.group_shift;
  if (threadIdx.x == 0) {
    first_split =
        advanced(group_begin(pass, tile), group_end(pass, tile), (tile - first_of_group) << tile_shift, keys, less);
  }
  __syncthreads();
  if (tile >= tiles) return;
  const bool in_first_group = first_of_group <= first_tile;
  const Split from = in_first_group ? first_split : group_begin(pass, tile);
  const std::uint64_t from_tile = in_first_group ? first_tile : first_of_group;
  splits[tile] = advanced(from, group_end(pass, tile), (tile - from_tile) << tile_shift, keys, less);
}

// A tile's records on their way to shared memory, some in each thread.
template <bool kHasValue>
struct RegisterWindow {
  using Shape = DavidsonShape<kHasValue>;
  TileWindows windows;
  Record<kHasValue> records[Shape::kPerThread];

  // Reads the tile that begins at splits[tile]; the records arrive while the thread goes on.
  __device__ void load(const RecordArray<kHasValue>& from, const MergePass& pass, const Split* splits,
                       std::uint64_t tile, std::uint64_t tiles) {
    const bool ends_group = tile + 1 == tiles || (tile + 1) >> pass.group_shift != tile >> pass.group_shift;
    windows = tile_windows(splits[tile], ends_group ? group_end(pass, tile) : splits[tile + 1]);
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < Shape::kPerThread; ++i) {
      const unsigned place = i * Shape::kThreads + threadIdx.x;
      if (place < windows.count()) records[i] = from.load(windows.source(place));
    }
  }
  __device__ void store(const typename Shape::MergeWindow& to) const {
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < Shape::kPerThread; ++i) {
      const unsigned place = i * Shape::kThreads + threadIdx.x;
      if (place < windows.count()) to.store(place, records[i]);
    }
  }
};

// The two shared windows of a block, between which each step moves a tile.
template <bool kHasValue>
struct WindowPair {
  using Window = typename DavidsonShape<kHasValue>::MergeWindow;
  static constexpr unsigned kTile = DavidsonShape<kHasValue>::kTile;
  static constexpr unsigned kBytes = 2 * Window::bytes_of(kTile);

  explicit __device__ WindowPair(std::uint8_t* shared)
      : full(Window::at(shared, kTile)), other(Window::at(shared + Window::bytes_of(kTile), kTile)) {}
  __device__ void swap() {
    const Window window = full;
    full = other;
    other = window;
  }

  Window full, other;
};

// Merges a share of the tiles, one after the other, while the registers take in the next: whole groups of runs in the
// first passes (the paper's simple merges), a part of one in the last (its cooperative merges).
template <bool kHasValue, typename Less>
__global__ __launch_bounds__(DavidsonShape<kHasValue>::kThreads,
                             3) void davidson_merge_kernel(RecordArray<kHasValue> from, RecordArray<kHasValue> to,
                                                           MergePass pass, const Split* splits, std::uint64_t tiles,
                                                           unsigned share, Less less) {
  using Shape = DavidsonShape<kHasValue>;
  extern __shared__ __align__(16) std::uint8_t shared[];
  WindowPair<kHasValue> shared_windows(shared);
  const unsigned first = threadIdx.x * Shape::kMergedPerThread;
  std::uint64_t tile = std::uint64_t{blockIdx.x} * share;
  const std::uint64_t end = least(tile + share, tiles);
  RegisterWindow<kHasValue> next;
  next.load(from, pass, splits, tile, tiles);
  for (; tile < end; ++tile) {
    next.store(shared_windows.full);
    const TileWindows windows = next.windows;
    __syncthreads();
    if (tile + 1 < end) next.load(from, pass, splits, tile + 1, tiles);
    merge_parts<kHasValue>(shared_windows.full, shared_windows.other, windows, first, less);
    __syncthreads();
    shared_windows.swap();
    if (windows.end[1] < windows.count()) {
      merge_halves<kHasValue>(shared_windows.full, shared_windows.other, windows, first, less);
      __syncthreads();
      shared_windows.swap();
    }
    SPILLWAY_UNROLL
    for (unsigned j = 0; j < Shape::kPerThread; ++j) {
      const unsigned i = j * Shape::kThreads + threadIdx.x;
      if (i < windows.count()) to.store(tile * Shape::kTile + i, shared_windows.full.load(i));
    }
    shared_windows.swap();  // what is read above is written again only after the next barrier
  }
}

}  // namespace spillway
