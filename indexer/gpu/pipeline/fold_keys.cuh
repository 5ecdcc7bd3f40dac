// The kernels that fold sorted keys (indexer/gpu/steps/fold.hpp). The threads of a warp walk groups that are far from
// each other, and write a few bytes at a time. So here a thread block copies the keys of its groups to shared memory,
// gathers the encoded bytes there, and copies them from there in order.
#pragma once

#include "indexer/gpu/pipeline/copy_gathered.cuh"
#include "indexer/gpu/steps/fold.hpp"

namespace spillway {

inline constexpr unsigned kFoldThreads = 64;  // of a thread block: one for each group
inline constexpr unsigned kFoldKeys = kFoldThreads * kGroupKeys;

// The keys of a thread block, and one more on each side. After each group of them a place is left out, so that the keys
// that the threads of a warp load at the same time are in different banks.
template <typename Keys>
struct FoldTile {
  static constexpr unsigned kPlaces = (kFoldKeys + 2) + (kFoldKeys + 2) / kGroupKeys + 1;
  std::uint64_t keys[kPlaces];
  std::uint32_t positions[Keys::kPositioned ? kPlaces : 1];

  // `i`: 0 is the key before the first.
  __device__ static unsigned place(unsigned i) { return i + i / kGroupKeys; }
};

template <typename Keys>
struct CopiedKeys : Keys {
  const FoldTile<Keys>* s_tile;
  std::uint32_t first;

  // Copies the keys of the groups from first_group on. All threads call it.
  __device__ CopiedKeys(const Keys& keys, std::size_t first_group, FoldTile<Keys>& tile)
      : Keys(keys), s_tile(&tile), first(static_cast<std::uint32_t>(first_group * kGroupKeys)) {
    for (unsigned i = threadIdx.x; i < kFoldKeys + 2; i += kFoldThreads) {
      const std::uint64_t key = first_group * kGroupKeys + i;  // one more than its number
      if (key == 0 || key > keys.count) continue;
      tile.keys[tile.place(i)] = keys.keys[key - 1];
      if constexpr (Keys::kPositioned) tile.positions[tile.place(i)] = keys.positions[key - 1];
    }
    __syncthreads();
  }
  __device__ std::uint64_t key(std::uint32_t i) const { return s_tile->keys[s_tile->place(i + 1 - first)]; }
  __device__ std::uint32_t position(std::uint32_t i) const { return s_tile->positions[s_tile->place(i + 1 - first)]; }
};

template <typename Keys>
__global__ __launch_bounds__(kFoldThreads) void measure_groups_kernel(MeasureGroup<Keys> step, std::size_t groups) {
  __shared__ FoldTile<Keys> s_tile;
  const std::size_t first = std::size_t{blockIdx.x} * kFoldThreads, group = first + threadIdx.x;
  const CopiedKeys<Keys> keys(step.keys, first, s_tile);
  if (group < groups) step.write(keys, group);
}

// The encoded bytes of the groups of a thread block, of postings or distances.
class GatheredBytes {
 public:
  static constexpr unsigned kBytes = 3 * kFoldKeys;  // more are rare: threads write those to their places

  __device__ GatheredBytes(uint4* s_pieces, std::uint64_t begin, std::uint64_t end, std::uint8_t* all)
      : s_pieces_(s_pieces), begin_(begin), end_(end), all_(all) {}
  // Where byte 0 of the block's would be.
  __device__ std::uint8_t* to() const {
    return fits() ? reinterpret_cast<std::uint8_t*>(s_pieces_) + skipped() - begin_ : all_;
  }
  // After all threads have written theirs.
  __device__ void copy() const {
    if (!fits()) return;
    copy_gathered<kFoldThreads>(s_pieces_, skipped(), static_cast<unsigned>(skipped() + (end_ - begin_)),
                                all_ + (begin_ - skipped()));
  }

 private:
  __device__ unsigned skipped() const { return static_cast<unsigned>(begin_ % sizeof(uint4)); }
  __device__ bool fits() const { return skipped() + (end_ - begin_) <= kBytes; }

  uint4* s_pieces_;
  std::uint64_t begin_, end_;
  std::uint8_t* all_;
};

// `groups`: all, but at least 1.
template <typename Keys>
__global__ __launch_bounds__(kFoldThreads) void write_groups_kernel(WriteGroup<Keys> step, std::size_t groups) {
  __shared__ FoldTile<Keys> s_tile;
  __shared__ uint4 s_postings[GatheredBytes::kBytes / sizeof(uint4)];
  __shared__ uint4 s_distances[Keys::kPositioned ? GatheredBytes::kBytes / sizeof(uint4) : 1];
  const std::size_t first = std::size_t{blockIdx.x} * kFoldThreads, group = first + threadIdx.x;
  const std::size_t last = min(first + kFoldThreads, step.keys.count == 0 ? std::size_t{0} : groups);
  const GroupSums begin = step.sums[first], end = step.sums[last];
  const CopiedKeys<Keys> keys(step.keys, first, s_tile);
  const GatheredBytes postings(s_postings, begin.posting_bytes, end.posting_bytes, step.postings);
  const GatheredBytes distances(s_distances, begin.distance_bytes, end.distance_bytes, step.distances);
  if (group < groups) step.write(keys, group, postings.to(), distances.to());
  __syncthreads();
  postings.copy();
  if constexpr (Keys::kPositioned) distances.copy();
}

}  // namespace spillway
