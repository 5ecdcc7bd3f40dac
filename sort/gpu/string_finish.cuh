// The finishing kernels of gpu-string-radix: small segments are sorted to the end by one block, many of them at once.
// A round looks for the next eight bytes in which each segment differs, sorts by them, and splits the segments.
#pragma once

#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "sort/gpu/string_finish_key.hpp"
#include "sort/gpu/string_segments.hpp"

namespace spillway {

// A tile owns the segments that begin inside kStride strings; with the last one's tail they fit into kStrings.
template <unsigned threads, unsigned items, std::uint32_t largest>
struct FinishPolicy {
  static constexpr unsigned kThreads = threads;
  static constexpr unsigned kItems = items;
  static constexpr std::uint32_t kStrings = threads * items;
  static constexpr std::uint32_t kStride = kStrings - largest + 1;
  static constexpr bool kMerges = largest > kTinySegment;
};
// Of each class: threads and strings of a thread were found on an H200.
template <unsigned segment_class>
struct FinishPolicyOf;
template <>
struct FinishPolicyOf<0> : FinishPolicy<256, 2, kFinishLimits[0]> {};
template <>
struct FinishPolicyOf<1> : FinishPolicy<512, 2, kFinishLimits[1]> {};
template <>
struct FinishPolicyOf<2> : FinishPolicy<1024, 2, kFinishLimits[2]> {};

template <typename Policy>
class FinishTile {
  static constexpr unsigned kItems = Policy::kItems;
  using Sort = cub::BlockMergeSort<FinishKey, Policy::kThreads, kItems, std::uint32_t>;
  using Scan = cub::BlockScan<std::uint32_t, Policy::kThreads>;
  struct NoSort {
    struct TempStorage {};
  };

 public:
  struct Shared {
    union {
      typename std::conditional_t<Policy::kMerges, Sort, NoSort>::TempStorage sort;
      typename Scan::TempStorage scan;
      std::uint32_t segment[Policy::kStrings];
      FinishKey last_key[Policy::kThreads];  // of every thread
      struct {
        std::uint64_t word[Policy::kStrings];
        std::uint32_t tag[Policy::kStrings];  // head and valid bytes
      } keys;
      struct {
        std::uint32_t index[Policy::kStrings];
        std::uint32_t head[Policy::kStrings];  // and whether there is more to sort
      } moved;
    };
    std::uint32_t differs[Policy::kStrings];  // of every head: its strings have different keys
    std::uint32_t first_segment, end_segment;
    bool first_is_same[Policy::kThreads + 1];
  };

  __device__ FinishTile(const DeviceStrings& strings, const FinishSegments& segments, std::uint32_t segment_count,
                        std::uint32_t* order, Shared& shared)
      : strings_(strings), segments_(segments), segment_count_(segment_count), order_(order), s_(shared) {}

  __device__ void run(std::uint32_t tile) {
    if (!load(tile)) return;
    while (true) {
      find_differing_words();
      if (__syncthreads_or(active_ != 0 ? 1 : 0) == 0) break;
      sort();
    }
    for (unsigned i = 0; i < kItems; ++i) {
      if (place(i) < count_) order_[slot_[i]] = index_[i];
    }
  }

 private:
  // Blocked where CUB's sort wants it so; and the cell of a place in shared memory, free of bank conflicts.
  __device__ static std::uint32_t place(unsigned i) {
    return Policy::kMerges ? threadIdx.x * kItems + i : i * Policy::kThreads + threadIdx.x;
  }
  __device__ static std::uint32_t cell(std::uint32_t place) {
    return Policy::kMerges ? place % kItems * Policy::kThreads + place / kItems : place;
  }
  __device__ bool is_active(unsigned i) const { return (active_ >> i & 1) != 0; }
  __device__ static std::uint32_t tag(const FinishKey& key) { return key.head << 4 | key.valid_bytes; }

  // The first segment whose offset is not below `offset`: a warp looks at 32 places at a time.
  __device__ std::uint32_t first_segment_from(std::uint64_t offset) const {
    std::uint32_t low = 0, high = segment_count_;  // it is in [low, high]
    while (low < high) {
      const std::uint32_t step = (high - low + 31) / 32, at = low + threadIdx.x % 32 * step;
      const unsigned below = __popc(__ballot_sync(~0u, at < high && segments_.offset[at] < offset));
      if (below == 0) return low;
      high = min(high, low + below * step);
      low += (below - 1) * step + 1;
    }
    return low;
  }

  // False if no segment begins in the tile.
  __device__ bool load(std::uint32_t tile) {
    if (threadIdx.x / 32 == 0) s_.first_segment = first_segment_from(std::uint64_t{tile} * Policy::kStride);
    if (threadIdx.x / 32 == 1) s_.end_segment = first_segment_from((std::uint64_t{tile} + 1) * Policy::kStride);
    for (unsigned i = threadIdx.x; i < Policy::kStrings; i += Policy::kThreads) s_.segment[i] = 0;
    __syncthreads();
    if (s_.first_segment == s_.end_segment) return false;
    const std::uint32_t begin = segments_.offset[s_.first_segment];
    count_ = segments_.offset[s_.end_segment] - begin;
    for (std::uint32_t segment = s_.first_segment + threadIdx.x; segment < s_.end_segment;
         segment += Policy::kThreads) {
      s_.segment[segments_.offset[segment] - begin] = segment - s_.first_segment;
    }
    __syncthreads();
    scan_segments();
    load_strings(begin);
    __syncthreads();
    return true;
  }

  // From the places where segments begin to all places.
  __device__ void scan_segments() {
    std::uint32_t segment[kItems];
    for (unsigned i = 0; i < kItems; ++i) segment[i] = s_.segment[threadIdx.x * kItems + i];
    __syncthreads();
    Scan(s_.scan).InclusiveScan(segment, segment, cuda::maximum<>{});
    __syncthreads();
    for (unsigned i = 0; i < kItems; ++i) s_.segment[threadIdx.x * kItems + i] = segment[i];
    __syncthreads();
  }

  // A step for all items before the next, so that loads are under way together.
  __device__ void load_strings(std::uint32_t begin) {
    std::uint32_t segment[kItems];
    for (unsigned i = 0; i < kItems; ++i) {
      segment[i] = s_.first_segment + s_.segment[place(i)];
      if (place(i) < count_) active_ |= 1u << i;
    }
    for (unsigned i = 0; i < kItems; ++i) {
      const std::uint32_t offset = segments_.offset[segment[i]], end = segments_.offset[segment[i] + 1];
      key_[i] = {0, is_active(i) ? offset - begin : place(i), 0};
      slot_[i] = segments_.start[segment[i]] + (place(i) - key_[i].head);
      depth_[i] = segments_.depth[segment[i]];
      if (is_active(i) && end - offset > kTinySegment) long_ |= 1u << i;
    }
    for (unsigned i = 0; i < kItems; ++i) index_[i] = is_active(i) ? order_[slot_[i]] : 0;
    find_strings();
  }

  __device__ void find_strings() {
    for (unsigned i = 0; i < kItems; ++i) {
      const std::uint32_t index = is_active(i) ? index_[i] : 0;
      string_[i] = string_at(strings_, index);
    }
  }

  __device__ void finish(unsigned i) {
    active_ &= ~(1u << i);
    key_[i] = {0, place(i), 0};
  }

  // Steps over words that all strings of a segment share. Segments of equal strings leave.
  __device__ void find_differing_words() {
    unsigned pending = active_;
    while (__syncthreads_or(pending != 0 ? 1 : 0) != 0) {
      load_keys(pending);
      for (unsigned i = 0; i < kItems; ++i) {
        s_.keys.word[cell(place(i))] = key_[i].word;
        s_.keys.tag[cell(place(i))] = tag(key_[i]);
        if ((pending >> i & 1) != 0) s_.differs[cell(place(i))] = 0;
      }
      __syncthreads();
      for (unsigned i = 0; i < kItems; ++i) {
        const std::uint32_t head = cell(key_[i].head);
        if ((pending >> i & 1) == 0) continue;
        if (s_.keys.word[head] != key_[i].word || s_.keys.tag[head] != tag(key_[i])) atomicOr(&s_.differs[head], 1u);
      }
      __syncthreads();
      for (unsigned i = 0; i < kItems; ++i) {
        if ((pending >> i & 1) == 0) continue;
        const bool differs = s_.differs[cell(key_[i].head)] != 0, has_ended = key_[i].has_ended();
        if (differs || has_ended) pending &= ~(1u << i);
        if (!differs && has_ended) finish(i);
        if (!differs) depth_[i] += 8;
      }
    }
  }

  __device__ void load_keys(unsigned pending) {
    UnalignedWord words[kItems];
    for (unsigned i = 0; i < kItems; ++i) {
      const std::uint32_t bytes = (pending >> i & 1) == 0 ? 0 : min(string_[i].bytes - depth_[i], 8u);
      words[i] = load_unaligned(string_[i].data + depth_[i], bytes);
    }
    for (unsigned i = 0; i < kItems; ++i) {
      if ((pending >> i & 1) != 0) key_[i] = make_finish_key(string_[i], words[i], key_[i].head, depth_[i]);
    }
  }

  __device__ void sort() {
    bool merges = false;
    if constexpr (Policy::kMerges) {
      merges = __syncthreads_or((long_ & active_) != 0 ? 1 : 0) != 0;
      if (merges) sort_by_merging();
    }
    if (!merges) sort_by_ranks();
    find_strings();
  }

  // All segments are tiny: every string counts those of its segment that come before it. Strings of the same bytes are
  // a new segment; those that are alone or ended are final.
  __device__ void sort_by_ranks() {
    std::uint32_t to[kItems], head[kItems];
    for (unsigned i = 0; i < kItems; ++i) {
      if (is_active(i)) rank(i, to[i], head[i]);
    }
    __syncthreads();
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_active(i)) continue;
      s_.moved.index[cell(to[i])] = index_[i];
      s_.moved.head[cell(to[i])] = head[i];
    }
    __syncthreads();
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_active(i)) continue;
      index_[i] = s_.moved.index[cell(place(i))];
      const std::uint32_t moved_head = s_.moved.head[cell(place(i))];
      key_[i].head = moved_head >> 1;
      depth_[i] += 8;
      if ((moved_head & 1) == 0) finish(i);
    }
  }

  __device__ void rank(unsigned i, std::uint32_t& to, std::uint32_t& head) const {
    const FinishKey& key = key_[i];
    const std::uint32_t own_tag = tag(key);
    std::uint32_t less = 0, same = 0, same_before = 0;
    for (std::uint32_t at = key.head; at < count_; ++at) {
      const std::uint32_t other_tag = s_.keys.tag[cell(at)];
      const std::uint64_t other_word = s_.keys.word[cell(at)];
      if (other_tag >> 4 != key.head) break;
      const bool is_same = other_word == key.word && other_tag == own_tag;
      less += other_word < key.word || (other_word == key.word && other_tag < own_tag) ? 1 : 0;
      same += is_same ? 1 : 0;
      same_before += is_same && at < place(i) ? 1 : 0;
    }
    to = key.head + less + same_before;
    head = (key.head + less) << 1 | (same > 1 && !key.has_ended() ? 1 : 0);
  }

  __device__ void sort_by_merging() {
    Sort(s_.sort).StableSort(key_, index_, FinishKeyLess{});
    __syncthreads();
    s_.last_key[threadIdx.x] = key_[kItems - 1];
    __syncthreads();
    const FinishKey before = threadIdx.x > 0 ? s_.last_key[threadIdx.x - 1] : FinishKey{0, ~0u, 0};
    __syncthreads();
    split(before);
  }

  // As at the end of sort_by_ranks, for sorted keys; `before` is the one before this thread's.
  __device__ void split(const FinishKey& before) {
    bool is_same[kItems + 1];
    std::uint32_t head[kItems];
    for (unsigned i = 0; i < kItems; ++i) {
      is_same[i] = is_active(i) && (i == 0 ? before : key_[i - 1]) == key_[i];
      head[i] = is_same[i] ? 0 : place(i);
    }
    s_.first_is_same[threadIdx.x] = is_same[0];
    Scan(s_.scan).InclusiveScan(head, head, cuda::maximum<>{});
    __syncthreads();
    is_same[kItems] = threadIdx.x + 1 < Policy::kThreads && s_.first_is_same[threadIdx.x + 1];
    long_ = 0;
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_active(i)) continue;
      key_[i].head = head[i];
      depth_[i] += 8;
      if (!is_same[i + 1] && place(i) - head[i] >= kTinySegment) long_ |= 1u << i;
      if (key_[i].has_ended() || (!is_same[i] && !is_same[i + 1])) finish(i);
    }
  }

  const DeviceStrings& strings_;
  const FinishSegments& segments_;
  std::uint32_t segment_count_;
  std::uint32_t* order_;
  Shared& s_;
  std::uint32_t count_ = 0;
  std::uint32_t active_ = 0;  // one bit an item: not final yet
  std::uint32_t long_ = 0;    // the same: in a segment of more than kTinySegment strings, known to one of them at least
  FinishKey key_[kItems];
  std::uint32_t index_[kItems], slot_[kItems], depth_[kItems];
  DeviceString string_[kItems];
};

template <typename Policy>
__global__ __launch_bounds__(Policy::kThreads) void finish_segments_kernel(
    const __grid_constant__ DeviceStrings strings, const __grid_constant__ FinishSegments segments,
    std::uint32_t segment_count, std::uint32_t* order) {
  extern __shared__ __align__(16) std::uint8_t s_bytes[];
  auto& shared = *reinterpret_cast<typename FinishTile<Policy>::Shared*>(s_bytes);
  FinishTile<Policy>(strings, segments, segment_count, order, shared).run(blockIdx.x);
}

}  // namespace spillway
