// The kernels of `gpu-merge:davidson`: the tile sort, the search for splits, and merges with a register and a shared
// buffer (the paper's windows).
#pragma once

#include "sort/gpu/merge/davidson_steps.hpp"

namespace spillway {

// Sorts a tile: each thread sorts eight records at a time in registers, then the block merges them. In each merge a
// thread finds its first record by binary search and the others linearly.
template <bool kHasValue>
inline constexpr unsigned kDavidsonSortBytes =
    DavidsonShape<kHasValue>::SortBuffer::bytes_of(DavidsonShape<kHasValue>::kTile);

template <bool kHasValue, typename Less>
__global__ __launch_bounds__(DavidsonShape<kHasValue>::kThreads,
                             3) void davidson_tile_sort_kernel(RecordArray<kHasValue> records, std::uint64_t count,
                                                               Less less) {
  using Shape = DavidsonShape<kHasValue>;
  extern __shared__ __align__(16) std::uint8_t shared[];
  const auto buffer = Shape::SortBuffer::at(shared, Shape::kTile);
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * Shape::kTile;
  const unsigned present = static_cast<unsigned>(least(count - begin, std::uint64_t{Shape::kTile}));
  const unsigned first = threadIdx.x * Shape::kPerThread;
  SPILLWAY_UNROLL
  for (unsigned j = 0; j < Shape::kPerThread; ++j) {
    const unsigned i = j * Shape::kThreads + threadIdx.x;
    if (i < present) buffer.store(i, records.load(begin + i));
  }
  __syncthreads();
  for (unsigned i = 0; i < Shape::kPerThread; i += kSortedInRegisters) {
    sort_in_registers<kHasValue>(buffer, first + i, present, less);
  }
  __syncthreads();
  for (unsigned run = kSortedInRegisters; run < present; run *= 2) {
    Record<kHasValue> merged[Shape::kPerThread];
    if (first < present) merge_inside_tile<kHasValue>(buffer, runs_around(first, run, present), first, merged, less);
    __syncthreads();
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < Shape::kPerThread; ++i) {
      if (first + i < present) buffer.store(first + i, merged[i]);
    }
    __syncthreads();
  }
  SPILLWAY_UNROLL
  for (unsigned j = 0; j < Shape::kPerThread; ++j) {
    const unsigned i = j * Shape::kThreads + threadIdx.x;
    if (i < present) records.store(begin + i, buffer.load(i));
  }
}

inline constexpr unsigned kSplitThreads = 64;

// Finds where each tile of a merge begins in its four runs. The first split of a block is searched for in its whole
// group, and the others of that group from there.
struct SplitSearch {
  const std::uint64_t* keys;
  MergePass pass;
  unsigned tile_shift;  // log2 of the keys of a tile
  std::uint64_t tiles;
  Split* splits;  // out: one a tile
};
template <typename Less>
__global__ __launch_bounds__(kSplitThreads) void davidson_split_kernel(const __grid_constant__ SplitSearch search,
                                                                       Less less) {
  const MergePass& pass = search.pass;
  __shared__ Split first_split;
  const std::uint64_t first_tile = std::uint64_t{blockIdx.x} * kSplitThreads;
  const std::uint64_t tile = first_tile + threadIdx.x;
  const std::uint64_t first_of_group = tile >> pass.group_shift << pass.group_shift;
  if (threadIdx.x == 0) {
    first_split = advanced(group_begin(pass, tile), group_end(pass, tile), (tile - first_of_group) << search.tile_shift,
                           search.keys, less);
  }
  __syncthreads();
  if (tile >= search.tiles) return;
  const bool in_first_group = first_of_group <= first_tile;
  const Split from = in_first_group ? first_split : group_begin(pass, tile);
  const std::uint64_t from_tile = in_first_group ? first_tile : first_of_group;
  search.splits[tile] =
      advanced(from, group_end(pass, tile), (tile - from_tile) << search.tile_shift, search.keys, less);
}

// The tiles of one merge pass; a block merges up to `share` of them.
template <bool kHasValue>
struct TileMerge {
  RecordArray<kHasValue> from, to;
  MergePass pass;
  const Split* splits;
  std::uint64_t tiles;
  unsigned share;
};

// The next tile in registers, kPerThread records in each thread.
template <bool kHasValue>
struct RegisterBuffer {
  using Shape = DavidsonShape<kHasValue>;
  TileSources sources;
  Record<kHasValue> records[Shape::kPerThread];

  // Starts to load the tile that begins at splits[tile]; the loads complete while the thread goes on.
  __device__ void load(const TileMerge<kHasValue>& merge, std::uint64_t tile) {
    const unsigned shift = merge.pass.group_shift;
    const bool ends_group = tile + 1 == merge.tiles || (tile + 1) >> shift != tile >> shift;
    sources = tile_sources(merge.splits[tile], ends_group ? group_end(merge.pass, tile) : merge.splits[tile + 1]);
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < Shape::kPerThread; ++i) {
      const unsigned place = i * Shape::kThreads + threadIdx.x;
      if (place < sources.count()) records[i] = merge.from.load(sources.source(place));
    }
  }
  __device__ void store(const typename Shape::MergeBuffer& to) const {
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < Shape::kPerThread; ++i) {
      const unsigned place = i * Shape::kThreads + threadIdx.x;
      if (place < sources.count()) to.store(place, records[i]);
    }
  }
};

// The two shared buffers of a block. Each step moves a tile from `full` to `other`.
template <bool kHasValue>
struct BufferPair {
  using Buffer = typename DavidsonShape<kHasValue>::MergeBuffer;
  static constexpr unsigned kTile = DavidsonShape<kHasValue>::kTile;
  static constexpr unsigned kBytes = 2 * Buffer::bytes_of(kTile);

  explicit __device__ BufferPair(std::uint8_t* shared)
      : full(Buffer::at(shared, kTile)), other(Buffer::at(shared + Buffer::bytes_of(kTile), kTile)) {}
  __device__ void swap() {
    const Buffer buffer = full;
    full = other;
    other = buffer;
  }

  Buffer full, other;
};

// Merges up to `share` consecutive tiles, and loads each one into registers while the one before is merged. In the
// first passes these are whole groups of runs (the paper's simple merges), in the last ones a section of a group (its
// cooperative merges).
template <bool kHasValue, typename Less>
__global__ __launch_bounds__(DavidsonShape<kHasValue>::kThreads,
                             3) void davidson_merge_kernel(const __grid_constant__ TileMerge<kHasValue> merge,
                                                           Less less) {
  using Shape = DavidsonShape<kHasValue>;
  extern __shared__ __align__(16) std::uint8_t shared[];
  BufferPair<kHasValue> shared_buffers(shared);
  const unsigned first = threadIdx.x * Shape::kMergedPerThread;
  std::uint64_t tile = std::uint64_t{blockIdx.x} * merge.share;
  const std::uint64_t end = least(tile + merge.share, merge.tiles);
  RegisterBuffer<kHasValue> next;
  next.load(merge, tile);
  for (; tile < end; ++tile) {
    next.store(shared_buffers.full);
    const TileSources sources = next.sources;
    __syncthreads();
    if (tile + 1 < end) next.load(merge, tile + 1);
    merge_run_pairs<kHasValue>(shared_buffers.full, shared_buffers.other, sources, first, less);
    __syncthreads();
    shared_buffers.swap();
    if (sources.end[1] < sources.count()) {
      merge_halves<kHasValue>(shared_buffers.full, shared_buffers.other, sources, first, less);
      __syncthreads();
      shared_buffers.swap();
    }
    SPILLWAY_UNROLL
    for (unsigned j = 0; j < Shape::kPerThread; ++j) {
      const unsigned i = j * Shape::kThreads + threadIdx.x;
      if (i < sources.count()) merge.to.store(tile * Shape::kTile + i, shared_buffers.full.load(i));
    }
    shared_buffers.swap();  // the records read above are overwritten only after the next barrier
  }
}

}  // namespace spillway
