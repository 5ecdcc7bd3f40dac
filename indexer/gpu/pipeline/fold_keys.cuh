// The kernels that fold sorted keys (indexer/gpu/steps/fold.hpp). The threads of a warp walk groups that are far from
// each other, and write a few bytes at a time. So here a thread block copies the keys of its groups to shared memory,
// gathers the encoded bytes there, and copies them from there in order.
#pragma once

#include "indexer/gpu/pipeline/copy_gathered.cuh"
#include "indexer/gpu/steps/fold.hpp"

namespace spillway {

inline constexpr unsigned kFoldThreads = 64;  // of a thread block: one for each group
inline constexpr unsigned kFoldKeys = kFoldThreads * kGroupKeys;

template <typename Keys>
using FoldTile = KeyCopy<Keys, kFoldThreads>;

template <typename Keys>
__global__ __launch_bounds__(kFoldThreads) void measure_groups_kernel(MeasureGroup<Keys> step, std::size_t groups) {
  __shared__ FoldTile<Keys> s_tile;
  const std::size_t first = std::size_t{blockIdx.x} * kFoldThreads, group = first + threadIdx.x;
  s_tile.copy(step.keys, first, threadIdx.x, kFoldThreads);
  __syncthreads();
  if (group < groups) step.write(CopiedKeys(step.keys, first, s_tile), group);
}

// The encoded bytes of the groups of a thread block, of postings or distances.
class GatheredBytes {
 public:
  static constexpr unsigned kBytes = 3 * kFoldKeys;  // more are rare: threads write those to their places

  __device__ GatheredBytes(uint4* s_pieces, std::uint64_t begin, std::uint64_t end, std::uint8_t* all)
      : s_pieces_(s_pieces), begin_(begin), end_(end), all_(all) {}
  __device__ ByteTarget target() const {
    return fits() ? ByteTarget{reinterpret_cast<std::uint8_t*>(s_pieces_) + skipped(), begin_} : ByteTarget{all_, 0};
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
  s_tile.copy(step.keys, first, threadIdx.x, kFoldThreads);
  __syncthreads();
  const GatheredBytes postings(s_postings, begin.posting_bytes, end.posting_bytes, step.postings);
  const GatheredBytes distances(s_distances, begin.distance_bytes, end.distance_bytes, step.distances);
  if (group < groups) step.write(CopiedKeys(step.keys, first, s_tile), group, postings.target(), distances.target());
  __syncthreads();
  postings.copy();
  if constexpr (Keys::kPositioned) distances.copy();
}

}  // namespace spillway
