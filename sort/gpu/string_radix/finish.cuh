// The finishing kernels of gpu-string-radix: a block sorts a tile of many small segments to the end at once. Each round
// finds the next bytes in which the strings of a segment differ, sorts by them, and splits the segments. All steps stay
// inside segments, so that a tile of short segments takes few of them.
#pragma once

#include <cub/block/block_scan.cuh>

#include "sort/gpu/string_radix/finish_key.hpp"
#include "sort/gpu/string_radix/segments.hpp"

namespace spillway {

// A tile has the segments that begin among kStride strings. With the tail of the last one they fit into kStrings.
template <unsigned threads, unsigned items, std::uint32_t largest>
struct FinishPolicy {
  static constexpr unsigned kThreads = threads;
  static constexpr unsigned kItems = items;
  static constexpr std::uint32_t kStrings = threads * items;
  static constexpr std::uint32_t kStride = kStrings - largest + 1;
};
// Threads and strings a thread by class, found on an H200.
template <unsigned segment_class>
struct FinishPolicyOf;
template <>
struct FinishPolicyOf<0> : FinishPolicy<256, 2, finish_limit(0)> {};
template <>
struct FinishPolicyOf<1> : FinishPolicy<512, 2, finish_limit(1)> {};
template <>
struct FinishPolicyOf<2> : FinishPolicy<1024, 2, finish_limit(2)> {};

// Codes by string number, which are compared before the strings are read; null: none.
struct SecondCodes {
  const std::uint32_t* codes = nullptr;
  std::uint32_t bytes = 0;  // the least that strings of the same code share
};

// Segments that need many rounds or steps leave the finishing kernels, for comparisons with pivots. No arrays: none
// leaves.
struct LeftSegments {
  std::uint32_t *start = nullptr, *count = nullptr, *depth = nullptr;
  std::uint32_t* segments = nullptr;  // their number
};

template <typename Policy>
class FinishTile {
  static constexpr unsigned kItems = Policy::kItems;
  using Scan = cub::BlockScan<std::uint32_t, Policy::kThreads>;

 public:
  struct Shared {
    union {
      typename Scan::TempStorage scan;
      std::uint64_t key[Policy::kStrings];
    };
    std::uint32_t index[Policy::kStrings];    // first the segment of each place; later the strings while they move
    std::uint32_t differs[Policy::kStrings];  // at a segment's first place: its strings have different keys
    std::uint32_t first_segment, end_segment;
  };

  __device__ FinishTile(const DeviceStrings& strings, const FinishSegments& segments, std::uint32_t segment_count,
                        const LeftSegments& left, Shared& shared)
      : strings_(strings), segments_(segments), segment_count_(segment_count), left_(left), s_(shared) {}

  // out.d_firsts may be null.
  __device__ void run(std::uint32_t tile, SecondCodes second, const MarkedOrder& out) {
    if (!load(tile, out.d_order)) return;
    for (std::uint32_t round = 0;; ++round, second = {}) {
      if (round == kMostFinishRounds) leave(active_);
      if (second.codes != nullptr) {
        find_differing_codes(second.codes);
      } else {
        find_strings();
        find_differing_keys();
      }
      if (__syncthreads_or(active_ != 0 ? 1 : 0) == 0) break;
      sort();
      split(second.codes != nullptr ? second.bytes : kFinishKeyBytes, out.d_firsts);
    }
    for (unsigned i = 0; i < kItems; ++i) {
      if (place(i) < count_) out.d_order[slot_[i]] = index_[i];
    }
  }

 private:
  __device__ static std::uint32_t place(unsigned i) { return i * Policy::kThreads + threadIdx.x; }
  __device__ bool is_active(unsigned i) const { return (active_ >> i & 1) != 0; }
  __device__ void finish(unsigned i) { active_ &= ~(1u << i); }

  // Returns the first segment whose offset is not below `offset`. A warp probes 32 places at a time.
  __device__ std::uint32_t first_segment_from(std::uint64_t offset) const {
    std::uint32_t low = 0, high = segment_count_;  // the result is in [low, high]
    while (low < high) {
      const std::uint32_t step = (high - low + 31) / 32, at = low + threadIdx.x % 32 * step;
      const unsigned below = __popc(__ballot_sync(~0u, at < high && segments_.offset[at] < offset));
      if (below == 0) return low;
      high = min(high, low + below * step);
      low += (below - 1) * step + 1;
    }
    return low;
  }

  // Returns false if no segment begins in the tile.
  __device__ bool load(std::uint32_t tile, const std::uint32_t* order) {
    if (threadIdx.x / 32 == 0) s_.first_segment = first_segment_from(std::uint64_t{tile} * Policy::kStride);
    if (threadIdx.x / 32 == 1) s_.end_segment = first_segment_from((std::uint64_t{tile} + 1) * Policy::kStride);
    for (unsigned i = 0; i < kItems; ++i) s_.index[place(i)] = 0;
    __syncthreads();
    if (s_.first_segment == s_.end_segment) return false;
    const std::uint32_t begin = segments_.offset[s_.first_segment];
    count_ = segments_.offset[s_.end_segment] - begin;
    for (std::uint32_t segment = s_.first_segment + threadIdx.x; segment < s_.end_segment;
         segment += Policy::kThreads) {
      s_.index[segments_.offset[segment] - begin] = segment - s_.first_segment;
    }
    __syncthreads();
    scan_segments();
    load_strings(begin, order);
    return true;
  }

  // Spreads the segment numbers from the places where segments begin to all places.
  __device__ void scan_segments() {
    std::uint32_t segment[kItems];
    for (unsigned i = 0; i < kItems; ++i) segment[i] = s_.index[threadIdx.x * kItems + i];
    Scan(s_.scan).InclusiveScan(segment, segment, cuda::maximum<>{});
    for (unsigned i = 0; i < kItems; ++i) s_.index[threadIdx.x * kItems + i] = segment[i];
    __syncthreads();
  }

  // Does each step for all items before the next step, so that their loads are in flight together.
  __device__ void load_strings(std::uint32_t begin, const std::uint32_t* order) {
    std::uint32_t segment[kItems];
    for (unsigned i = 0; i < kItems; ++i) {
      segment[i] = s_.first_segment + s_.index[place(i)];
      if (place(i) < count_) active_ |= 1u << i;
    }
    for (unsigned i = 0; i < kItems; ++i) {
      range_[i] = {segments_.offset[segment[i]] - begin, segments_.offset[segment[i] + 1] - begin};
      slot_[i] = segments_.start[segment[i]] + (place(i) - range_[i].begin);
      depth_[i] = segments_.depth[segment[i]];
    }
    for (unsigned i = 0; i < kItems; ++i) index_[i] = is_active(i) ? order[slot_[i]] : 0;
  }

  __device__ void find_strings() {
    for (unsigned i = 0; i < kItems; ++i) string_[i] = string_at(strings_, is_active(i) ? index_[i] : 0);
  }

  // Steps over the bytes that all strings of a segment share. Segments of equal strings are final.
  __device__ void find_differing_keys() {
    unsigned pending = active_;
    for (std::uint32_t step = 0; __syncthreads_or(pending != 0 ? 1 : 0) != 0; ++step) {
      if (step == kMostFinishSteps && leave(pending)) break;
      load_keys(pending);
      mark_differing(pending);
      for (unsigned i = 0; i < kItems; ++i) {
        if ((pending >> i & 1) == 0) continue;
        const bool differs = s_.differs[range_[i].begin] != 0, has_ended = has_finish_key_ended(key_[i]);
        if (differs || has_ended) pending &= ~(1u << i);
        if (!differs && has_ended) finish(i);
        if (!differs) depth_[i] += kFinishKeyBytes;
      }
    }
  }

  // Lists the segments of these items as left, and returns true, unless none may leave. Requires: the items are all
  // those of their segments.
  __device__ bool leave(unsigned items) {
    if (left_.start == nullptr) return false;
    for (unsigned i = 0; i < kItems; ++i) {
      if ((items >> i & 1) == 0) continue;
      finish(i);
      if (range_[i].begin != place(i)) continue;
      const std::uint32_t at = atomicAdd(left_.segments, 1u);
      left_.start[at] = slot_[i];
      left_.count[at] = range_[i].end - range_[i].begin;
      left_.depth[at] = depth_[i];
    }
    return true;
  }

  // The same for codes, in one step.
  __device__ void find_differing_codes(const std::uint32_t* codes) {
    for (unsigned i = 0; i < kItems; ++i) {
      if (is_active(i)) put_key(i, make_finish_key(codes[index_[i]]));
    }
    mark_differing(active_);
    for (unsigned i = 0; i < kItems; ++i) {
      if (is_active(i) && s_.differs[range_[i].begin] == 0 && has_finish_key_ended(key_[i])) finish(i);
    }
  }

  // A barrier comes before, when all keys are written, and after, when all marks are.
  __device__ void mark_differing(unsigned pending) {
    __syncthreads();
    for (unsigned i = 0; i < kItems; ++i) {
      if ((pending >> i & 1) == 0 || s_.key[range_[i].begin] == key_[i]) continue;
      atomicOr(&s_.differs[range_[i].begin], 1u);
    }
    __syncthreads();
  }

  __device__ void put_key(unsigned i, std::uint64_t key) {
    key_[i] = key;
    s_.key[place(i)] = key;
    s_.differs[place(i)] = 0;
  }

  __device__ void load_keys(unsigned pending) {
    UnalignedWord words[kItems];
    for (unsigned i = 0; i < kItems; ++i) {
      const std::uint32_t bytes = (pending >> i & 1) == 0 ? 0 : min(string_[i].bytes - depth_[i], kFinishKeyBytes);
      words[i] = load_unaligned(string_[i].data + depth_[i], bytes);
    }
    for (unsigned i = 0; i < kItems; ++i) {
      if ((pending >> i & 1) != 0) put_key(i, make_finish_key(string_[i], words[i], depth_[i]));
    }
  }

  // Sorts each segment by its keys: runs of kCountedKeys by counting, then merges of pairs.
  __device__ void sort() {
    std::uint32_t to[kItems], longest = 0;
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_active(i)) continue;
      to[i] = place_by_count(s_.key, range_[i], place(i));
      longest = max(longest, range_[i].end - range_[i].begin);
    }
    move(to);
    for (std::uint32_t width = kCountedKeys; __syncthreads_or(longest > width ? 1 : 0) != 0; width *= 2) {
      for (unsigned i = 0; i < kItems; ++i) {
        if (is_active(i)) to[i] = place_after_merge(s_.key, range_[i], place(i), width);
      }
      move(to);
    }
  }

  __device__ void move(const std::uint32_t (&to)[kItems]) {
    __syncthreads();
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_active(i)) continue;
      s_.key[to[i]] = key_[i];
      s_.index[to[i]] = index_[i];
    }
    __syncthreads();
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_active(i)) continue;
      key_[i] = s_.key[place(i)];
      index_[i] = s_.index[place(i)];
    }
  }

  // Makes the strings of one key, of `bytes` bytes, a new segment. Strings that are alone or have ended are final.
  // Marks the first string of each key; that of the old segment is marked already.
  __device__ void split(std::uint32_t bytes, std::uint8_t* firsts) {
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_active(i)) continue;
      const std::uint32_t at = place(i);
      const bool is_same_before = at > range_[i].begin && s_.key[at - 1] == key_[i];
      const bool is_same_after = at + 1 < range_[i].end && s_.key[at + 1] == key_[i];
      if (firsts != nullptr && !is_same_before) firsts[slot_[i]] = 1;
      depth_[i] += bytes;
      if (has_finish_key_ended(key_[i]) || (!is_same_before && !is_same_after)) {
        finish(i);
        continue;
      }
      const FinishRange before{range_[i].begin, at}, after{at + 1, range_[i].end};
      range_[i] = {is_same_before ? place_in_sorted(s_.key, before, key_[i], Equal::kAfter) : at,
                   is_same_after ? place_in_sorted(s_.key, after, key_[i], Equal::kBefore) : at + 1};
    }
  }

  const DeviceStrings& strings_;
  const FinishSegments& segments_;
  std::uint32_t segment_count_;
  const LeftSegments& left_;
  Shared& s_;
  std::uint32_t count_ = 0;
  std::uint32_t active_ = 0;  // one bit an item: it is not final
  std::uint64_t key_[kItems];
  FinishRange range_[kItems];  // of the item's segment in the tile
  std::uint32_t index_[kItems], slot_[kItems], depth_[kItems];
  DeviceString string_[kItems];
};

template <typename Policy>
__global__ __launch_bounds__(Policy::kThreads) void finish_segments_kernel(
    const __grid_constant__ DeviceStrings strings, const __grid_constant__ FinishSegments segments,
    std::uint32_t segment_count, SecondCodes second, const __grid_constant__ LeftSegments left, MarkedOrder out) {
  extern __shared__ __align__(16) std::uint8_t s_bytes[];
  auto& shared = *reinterpret_cast<typename FinishTile<Policy>::Shared*>(s_bytes);
  FinishTile<Policy>(strings, segments, segment_count, left, shared).run(blockIdx.x, second, out);
}

}  // namespace spillway
