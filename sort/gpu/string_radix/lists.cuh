// The kernel that finds the segments in the sorted keys of a round of gpu-string-radix, and lists them by size.
#pragma once

#include "sort/gpu/string_radix/large.cuh"

namespace spillway {

// A block's range of the sorted keys in shared memory, with one key before and one after.
inline constexpr unsigned kListItems = 8;  // keys of a thread
inline constexpr unsigned kListKeys = kListItems * kStringThreads;
template <typename Key>
class KeyRange {
 public:
  using Shared = Key[kListKeys + 2];
  __device__ KeyRange(const RoundKeys<Key>& sorted, Shared& keys)
      : sorted_(sorted), keys_(keys), begin_(blockIdx.x * std::size_t{kListKeys}) {
#pragma unroll
    for (unsigned i = 0; i < kListItems; ++i) load(1 + i * kStringThreads + threadIdx.x);
    if (threadIdx.x < 2) load(threadIdx.x * (kListKeys + 1));
    __syncthreads();
  }
  __device__ std::size_t place(unsigned i) const { return begin_ + i * kStringThreads + threadIdx.x; }
  __device__ Key key(std::size_t at) const {
    return at <= begin_ + kListKeys ? keys_[at + 1 - begin_] : sorted_.keys[at];
  }
  // Returns whether `at` is the first of several strings of one key that go on.
  __device__ bool begins_segment(std::size_t at) const {
    return at + 1 < sorted_.count && key(at + 1) == key(at) && (at == 0 || keys_[at - begin_] != key(at)) &&
           !sorted_.has_ended(key(at));
  }
  // Returns the end of the keys equal to the one at `first`, by doubling and then halving steps. Requires: the next key
  // is equal. O(log count).
  __device__ std::uint32_t end_of_segment(std::size_t first) const {
    const Key wanted = key(first);
    std::uint32_t equal = static_cast<std::uint32_t>(first) + 1, step = 1;
    while (step < sorted_.count - equal && key(equal + step) == wanted) {
      equal += step;
      step = min(2 * step, 1u << 30);
    }
    for (step = min(step, sorted_.count - equal); step > 1;) {
      const std::uint32_t half = step / 2;
      const bool is_equal = key(equal + half) == wanted;
      equal += is_equal ? half : 0;
      step = is_equal ? step - half : half;
    }
    return equal + 1;
  }

 private:
  __device__ void load(unsigned i) {
    const std::size_t at = begin_ + i;  // the key's place + 1
    keys_[i] = at > 0 && at <= sorted_.count ? sorted_.keys[at - 1] : Key{0};
  }

  const RoundKeys<Key>& sorted_;
  Shared& keys_;
  std::size_t begin_;
};

// Returns the segment of the keys at places [range.x, range.y). `parent` has no segments in the first round. The
// strings share at least `digits` bytes more than those of their parent.
template <typename Key>
__device__ Segment make_segment(const RoundKeys<Key>& sorted, const LargeRound& parent, std::uint32_t digits,
                                uint2 range, StringCounters* counters) {
  Segment segment{range.x, range.y - range.x, digits};
  if (parent.segment_count == 0) return segment;
  const std::uint32_t old = sorted.segment(sorted.keys[range.x]);
  segment.start = parent.place(old, range.x);
  segment.depth += parent.segments.depth[old];
  if (parent.splits_all && segment.count == parent.segments.offset[old + 1] - parent.segments.offset[old]) {
    atomicAdd(&counters->unsplit, 1u);
  }
  return segment;
}

struct SegmentLists {
  FinishSegments finish[kFinishClasses];
  LargeSegments large;
  __device__ void write(unsigned segment_class, std::uint32_t at, const Segment& segment) const {
    if (segment_class == kFinishClasses) return write_large(large, at, segment);
    const FinishSegments& list = finish[segment_class];
    list.start[at] = segment.start;
    list.offset[at] = segment.count;
    list.depth[at] = segment.depth;
  }
};

// Reserves a block's room in the lists: warps count first, then the block, so that there is one addition a block to the
// global counters.
class ListRoom {
 public:
  using Shared = ListCounters[2][kFinishClasses + 1];  // [0]: counts of the block; [1]: where its room begins
  __device__ explicit ListRoom(Shared& shared) : s_(shared) {
    if (threadIdx.x <= kFinishClasses) s_[0][threadIdx.x] = {0, 0};
    __syncthreads();
  }
  // Counts a segment, and returns its number among the thread's segments of the class.
  __device__ std::uint32_t count(unsigned segment_class, std::uint32_t strings) {
    const std::uint32_t place = packed_ >> (8 * segment_class) & 255;
    packed_ += 1u << (8 * segment_class);
#pragma unroll
    for (unsigned i = 0; i <= kFinishClasses; ++i) strings_[i] += segment_class == i ? strings : 0;
    return place;
  }
  __device__ void take(ListCounters* counters) {
    static_assert(kFinishClasses + 1 <= 4 && 32 * kListItems / 2 <= 255,
                  "a warp's segments are counted in 8 bits a class");
    const unsigned lane = threadIdx.x % 32;
    std::uint32_t sum = packed_;  // over the lanes up to this one
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
      const std::uint32_t other = __shfl_up_sync(~0u, sum, distance);
      sum += lane >= distance ? other : 0;
    }
    const std::uint32_t all = __shfl_sync(~0u, sum, 31), before = sum - packed_;
    if (all != 0) {
#pragma unroll
      for (unsigned i = 0; i <= kFinishClasses; ++i) {
        const std::uint32_t segments = all >> (8 * i) & 255;
        if (segments == 0) continue;
        const std::uint32_t strings = warp_sum(strings_[i]);
        std::uint32_t first = 0;
        if (lane == 0) {
          first = atomicAdd(&s_[0][i].segments, segments);
          atomicAdd(&s_[0][i].strings, strings);
        }
        first_[i] = __shfl_sync(~0u, first, 0) + (before >> (8 * i) & 255);
      }
    }
    __syncthreads();
    if (threadIdx.x <= kFinishClasses && s_[0][threadIdx.x].segments > 0) {
      s_[1][threadIdx.x].segments = atomicAdd(&counters[threadIdx.x].segments, s_[0][threadIdx.x].segments);
      atomicAdd(&counters[threadIdx.x].strings, s_[0][threadIdx.x].strings);
    }
    __syncthreads();
  }
  // Returns where the thread's segments of a class begin in the list. Requires: take() was called.
  __device__ std::uint32_t first(unsigned segment_class) const {
    std::uint32_t first = 0;
#pragma unroll
    for (unsigned i = 0; i <= kFinishClasses; ++i) {
      if (segment_class == i) first = first_[i] + s_[1][i].segments;
    }
    return first;
  }

 private:
  Shared& s_;
  std::uint32_t packed_ = 0;  // number of the thread's segments, 8 bits a class
  std::uint32_t strings_[kFinishClasses + 1] = {}, first_[kFinishClasses + 1] = {};
};

template <typename Key>
__global__ void list_segments_kernel(RoundKeys<Key> sorted, LargeRound parent, std::uint32_t digits,
                                     const __grid_constant__ SegmentLists lists, StringCounters* counters) {
  __shared__ typename KeyRange<Key>::Shared s_keys;
  __shared__ ListRoom::Shared s_room;
  const KeyRange<Key> range(sorted, s_keys);
  ListRoom room(s_room);
  std::uint32_t end[kListItems], place[kListItems];
#pragma unroll
  for (unsigned i = 0; i < kListItems; ++i) {
    const std::size_t first = range.place(i);
    const bool begins = first < sorted.count && range.begins_segment(first);
    end[i] = begins ? range.end_of_segment(first) : 0;
    const std::uint32_t count = begins ? end[i] - static_cast<std::uint32_t>(first) : 0;
    if (begins) place[i] = room.count(class_of_segment(count), count);
  }
  room.take(counters->lists);
#pragma unroll
  for (unsigned i = 0; i < kListItems; ++i) {
    if (end[i] == 0) continue;
    const auto first = static_cast<std::uint32_t>(range.place(i));
    const Segment segment = make_segment(sorted, parent, digits, {first, end[i]}, counters);
    const unsigned segment_class = class_of_segment(segment.count);
    lists.write(segment_class, room.first(segment_class) + place[i], segment);
  }
}

}  // namespace spillway
