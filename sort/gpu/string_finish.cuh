// The finishing kernel of gpu-string-radix: small segments are sorted to the end by one block, many of them at once.
#pragma once

#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_scan.cuh>

#include "sort/gpu/string_compare.cuh"
#include "sort/gpu/string_finish_key.hpp"
#include "sort/gpu/string_segments.hpp"

namespace spillway {

// A tile owns the segments that begin inside `stride` strings; with the last one's tail they fit into kStrings.
struct FinishPolicy {
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kItems = 8;
  static constexpr unsigned kStrings = kThreads * kItems;
};
static_assert(FinishPolicy::kStrings >= 2 * kSmallSegment);
inline constexpr std::uint32_t kFinishStride = FinishPolicy::kStrings - kSmallSegment + 1;

template <typename Policy>
class FinishTile {
  static constexpr unsigned kItems = Policy::kItems;
  using Sort = cub::BlockMergeSort<FinishKey, Policy::kThreads, kItems, std::uint32_t>;
  using Scan = cub::BlockScan<std::uint32_t, Policy::kThreads>;

 public:
  struct Shared {
    union {
      typename Sort::TempStorage sort;
      typename Scan::TempStorage scan;
      std::uint32_t index[Policy::kStrings];  // of every place's string, while prefixes are looked for
      FinishKey key[Policy::kThreads];        // of every thread's last string
      std::uint32_t slot[Policy::kStrings];
    };
    std::uint32_t shared[Policy::kStrings];  // of every head's segment
    std::uint32_t longest[Policy::kStrings];
    std::uint32_t first_segment, end_segment;
    bool first_is_same[Policy::kThreads + 1];
  };

  __device__ FinishTile(const DeviceStrings& strings, const SmallSegments& segments, std::uint32_t segment_count,
                        std::uint32_t* order, Shared& shared)
      : strings_(strings), segments_(segments), segment_count_(segment_count), order_(order), s_(shared) {}

  __device__ void run(std::uint32_t tile) {
    if (!load(tile)) return;
    while (true) {
      skip_shared_prefixes();
      if (__syncthreads_or(active_ != 0 ? 1 : 0) == 0) break;
      load_words();
      Sort(s_.sort).StableSort(key_, index_, FinishKeyLess{});
      __syncthreads();
      split();
    }
    for (unsigned i = 0; i < kItems; ++i) {
      if (place(i) < count_) order_[slot_[i]] = index_[i];
    }
  }

 private:
  __device__ unsigned place(unsigned i) const { return threadIdx.x * kItems + i; }
  __device__ bool is_active(unsigned i) const { return (active_ >> i & 1) != 0; }

  __device__ std::uint32_t first_segment_from(std::uint64_t offset) const {
    std::uint32_t low = 0, high = segment_count_;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (segments_.offset[middle] < offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  // False if no segment begins in the tile.
  __device__ bool load(std::uint32_t tile) {
    if (threadIdx.x == 0) s_.first_segment = first_segment_from(std::uint64_t{tile} * kFinishStride);
    if (threadIdx.x == 32) s_.end_segment = first_segment_from((std::uint64_t{tile} + 1) * kFinishStride);
    for (unsigned i = threadIdx.x; i < Policy::kStrings; i += Policy::kThreads) s_.shared[i] = 0;
    __syncthreads();
    if (s_.first_segment == s_.end_segment) return false;
    const std::uint32_t begin = segments_.offset[s_.first_segment];
    count_ = segments_.offset[s_.end_segment] - begin;
    for (std::uint32_t segment = s_.first_segment + threadIdx.x; segment < s_.end_segment;
         segment += Policy::kThreads) {
      s_.shared[segments_.offset[segment] - begin] = segment - s_.first_segment;
    }
    __syncthreads();
    std::uint32_t segment[kItems];
    for (unsigned i = 0; i < kItems; ++i) segment[i] = s_.shared[place(i)];
    Scan(s_.scan).InclusiveScan(segment, segment, cuda::maximum<>{});
    for (unsigned i = 0; i < kItems; ++i) {
      const bool is_in = place(i) < count_;
      const std::uint32_t from = s_.first_segment + segment[i], head = segments_.offset[from] - begin;
      slot_[i] = is_in ? segments_.start[from] + (place(i) - head) : 0;
      index_[i] = is_in ? order_[slot_[i]] : 0;
      depth_[i] = is_in ? segments_.depth[from] : 0;
      key_[i] = {0, is_in ? head : place(i), 0};
      active_ |= (is_in ? 1u : 0u) << i;
    }
    __syncthreads();
    return true;
  }

  // Segments of equal strings leave; the depth of the others becomes all that they share.
  __device__ void skip_shared_prefixes() {
    for (unsigned i = 0; i < kItems; ++i) {
      s_.index[place(i)] = index_[i];
      s_.shared[place(i)] = ~0u;
      s_.longest[place(i)] = 0;
    }
    __syncthreads();
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_active(i)) continue;
      const DeviceString string = string_at(strings_, index_[i]);
      const std::uint32_t head = key_[i].head;
      atomicMax(&s_.longest[head], string.bytes);
      if (head == place(i)) continue;
      atomicMin(&s_.shared[head], shared_prefix(string_at(strings_, s_.index[head]), string, depth_[i]));
    }
    __syncthreads();
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_active(i)) continue;
      depth_[i] = s_.shared[key_[i].head];
      if (depth_[i] == s_.longest[key_[i].head]) finish(i);
    }
  }

  __device__ void finish(unsigned i) {
    active_ &= ~(1u << i);
    key_[i] = {0, place(i), 0};
  }

  __device__ void load_words() {
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_active(i)) continue;
      const DeviceString string = string_at(strings_, index_[i]);
      key_[i] = make_finish_key(string, key_[i].head, depth_[i]);
    }
  }

  // Strings of the same bytes are a new segment; those that are alone or ended are final.
  __device__ void split() {
    s_.key[threadIdx.x] = key_[kItems - 1];
    __syncthreads();
    bool is_same[kItems + 1];
    std::uint32_t head[kItems];
    const FinishKey before = threadIdx.x > 0 ? s_.key[threadIdx.x - 1] : FinishKey{0, ~0u, 0};
    for (unsigned i = 0; i < kItems; ++i) {
      const FinishKey& last = i == 0 ? before : key_[i - 1];
      is_same[i] = is_active(i) && last == key_[i];
      head[i] = is_same[i] ? 0 : place(i);
    }
    s_.first_is_same[threadIdx.x] = is_same[0];
    __syncthreads();
    is_same[kItems] = threadIdx.x + 1 < Policy::kThreads && s_.first_is_same[threadIdx.x + 1];
    Scan(s_.scan).InclusiveScan(head, head, cuda::maximum<>{});
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_active(i)) continue;
      key_[i].head = head[i];
      depth_[i] += 8;
      if (key_[i].has_ended() || (!is_same[i] && !is_same[i + 1])) finish(i);
    }
    __syncthreads();
  }

  const DeviceStrings& strings_;
  const SmallSegments& segments_;
  std::uint32_t segment_count_;
  std::uint32_t* order_;
  Shared& s_;
  std::uint32_t count_ = 0;
  std::uint32_t active_ = 0;  // one bit an item
  FinishKey key_[kItems];
  std::uint32_t index_[kItems], slot_[kItems], depth_[kItems];
};

template <typename Policy>
__global__ __launch_bounds__(Policy::kThreads) void finish_segments_kernel(
    const __grid_constant__ DeviceStrings strings, const __grid_constant__ SmallSegments segments,
    std::uint32_t segment_count, std::uint32_t* order) {
  extern __shared__ __align__(16) std::uint8_t s_bytes[];
  auto& shared = *reinterpret_cast<typename FinishTile<Policy>::Shared*>(s_bytes);
  FinishTile<Policy>(strings, segments, segment_count, order, shared).run(blockIdx.x);
}

}  // namespace spillway
