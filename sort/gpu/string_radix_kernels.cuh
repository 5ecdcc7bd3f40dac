// Kernels between the radix sorts of gpu-string-radix: which bytes occur, keys, new segments, shared prefixes.
#pragma once

#include "sort/gpu/string_compare.cuh"
#include "sort/gpu/string_digits.hpp"
#include "sort/gpu/string_segments.hpp"

namespace spillway {

inline constexpr unsigned kStringThreads = 256;

// Segments in the lists, and the strings in them.
struct ListCounters {
  std::uint32_t tiny_count;
  std::uint32_t tiny_strings;
  std::uint32_t small_count;
  std::uint32_t small_strings;
  std::uint32_t large_count;
  std::uint32_t large_strings;
};

// What the host reads back between rounds.
struct StringCounters {
  std::uint32_t used[8];  // byte values that occur, as for make_string_digits
  std::uint32_t longest;  // bytes of the longest string; in later rounds, of what is left of it
  std::uint32_t unsplit;  // segments that a round left as they were: never
  ListCounters lists;
};

// Adds 1 to *counter for every lane that `takes` part; its place among all that did. All lanes of the warp call this.
__device__ inline std::uint32_t take_place(std::uint32_t* counter, bool takes) {
  const unsigned lane = threadIdx.x % 32, lanes = __ballot_sync(~0u, takes);
  std::uint32_t first = 0;
  if (lane == 0 && lanes != 0) first = atomicAdd(counter, static_cast<unsigned>(__popc(lanes)));
  return __shfl_sync(~0u, first, 0) + static_cast<unsigned>(__popc(lanes & ((1u << lane) - 1)));
}

__device__ inline std::uint32_t warp_sum(std::uint32_t value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  return value;
}
__device__ inline std::uint32_t warp_min(std::uint32_t value) {
  for (int distance = 16; distance > 0; distance /= 2) value = min(value, __shfl_xor_sync(~0u, value, distance));
  return value;
}
__device__ inline std::uint32_t warp_max(std::uint32_t value) {
  for (int distance = 16; distance > 0; distance /= 2) value = max(value, __shfl_xor_sync(~0u, value, distance));
  return value;
}

__device__ inline void mark_byte(std::uint32_t* s_used, unsigned byte) {
  const std::uint32_t bit = 1u << (byte % 32);
  if ((s_used[byte / 32] & bit) == 0) atomicOr(&s_used[byte / 32], bit);
}

__device__ inline void mark_bytes(std::uint32_t* s_used, const uint4& bytes) {
  for (const unsigned word : {bytes.x, bytes.y, bytes.z, bytes.w}) {
    for (unsigned shift = 0; shift < 32; shift += 8) mark_byte(s_used, word >> shift & 255);
  }
}

// Reads all bytes and offsets once.
__global__ void find_used_bytes_kernel(DeviceStrings strings, StringCounters* counters) {
  __shared__ std::uint32_t s_used[8];
  if (threadIdx.x < 8) s_used[threadIdx.x] = 0;
  __syncthreads();
  const std::size_t thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x, quads = strings.total_bytes / 16;
  const auto* d_quads = reinterpret_cast<const uint4*>(strings.d_bytes);
  std::size_t at = thread;
  for (; at + 3 * threads < quads; at += 4 * threads) {
    const uint4 some[4] = {d_quads[at], d_quads[at + threads], d_quads[at + 2 * threads], d_quads[at + 3 * threads]};
    for (const uint4& bytes : some) mark_bytes(s_used, bytes);
  }
  for (; at < quads; at += threads) mark_bytes(s_used, d_quads[at]);
  for (std::size_t i = quads * 16 + thread; i < strings.total_bytes; i += threads) {
    mark_byte(s_used, strings.d_bytes[i]);
  }
  std::uint32_t longest = 0;
#pragma unroll 4
  for (std::size_t i = thread; i < strings.count; i += threads) {
    longest = max(longest, static_cast<std::uint32_t>(strings.d_offsets[i + 1] - strings.d_offsets[i]));
  }
  longest = warp_max(longest);
  if (threadIdx.x % 32 == 0) atomicMax(&counters->longest, longest);
  __syncthreads();
  if (threadIdx.x < 8 && s_used[threadIdx.x] != 0) atomicOr(&counters->used[threadIdx.x], s_used[threadIdx.x]);
}

__device__ inline void copy_digits(std::uint16_t (&s_digit_of)[256], const StringDigits& digits) {
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) s_digit_of[i] = digits.digit_of[i];
  __syncthreads();
}

// Keys of the first round, in which all strings are one segment.
__global__ void make_first_keys_kernel(DeviceStrings strings, const __grid_constant__ StringDigits digits,
                                       std::uint32_t digit_count, std::uint32_t* keys, std::uint32_t* values) {
  __shared__ std::uint16_t s_digit_of[256];
  copy_digits(s_digit_of, digits);
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= strings.count) return;
  const auto index = static_cast<std::uint32_t>(i);
  keys[i] = pack_digits<std::uint32_t>(string_at(strings, index), 0, digits.base, s_digit_of, digit_count);
  values[i] = index;
}

// The segment that `at` lies in. All threads of a block call this, with consecutive `at`: a large segment has more
// strings than a block has threads, so that a block sees two at most.
__device__ inline std::uint32_t find_segment(const LargeSegments& segments, std::uint32_t count, std::uint32_t at) {
  static_assert(kSmallSegment > kStringThreads);
  __shared__ std::uint32_t s_segment;
  if (threadIdx.x == 0) {
    std::uint32_t low = 0, high = count;  // offset[low] <= at < offset[high]
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (segments.offset[middle] <= at ? low : high) = middle;
    }
    s_segment = low;
  }
  __syncthreads();
  return s_segment + (s_segment + 1 < count && segments.offset[s_segment + 1] <= at ? 1 : 0);
}

struct LargeRound {
  LargeSegments segments;
  std::uint32_t segment_count = 0;
  std::uint32_t string_count = 0;
  __device__ std::uint32_t place(std::uint32_t segment, std::uint32_t at) const {
    return segments.start[segment] + (at - segments.offset[segment]);
  }
};

// How far all strings of a segment are the same, and its longest: what its first string shares with each of them.
__global__ void find_shared_prefixes_kernel(DeviceStrings strings, LargeRound round, const std::uint32_t* order) {
  const std::size_t thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const bool is_in = thread < round.string_count;
  const auto at = is_in ? static_cast<std::uint32_t>(thread) : round.string_count - 1;
  const std::uint32_t segment = find_segment(round.segments, round.segment_count, at);
  const DeviceString first = string_at(strings, order[round.segments.start[segment]]);
  DeviceString string = string_at(strings, order[round.place(segment, at)]);
  const std::uint32_t longest = string.bytes;
  string.bytes = min(string.bytes, *static_cast<volatile std::uint32_t*>(&round.segments.shared[segment]));
  const std::uint32_t shared = shared_prefix(first, string, round.segments.depth[segment]);
  int is_same = 0;
  __match_all_sync(~0u, segment, &is_same);
  if (is_same != 0) {
    const std::uint32_t least = warp_min(shared), most = warp_max(longest);
    if (threadIdx.x % 32 != 0) return;
    if (least < round.segments.shared[segment]) atomicMin(&round.segments.shared[segment], least);
    if (most > round.segments.longest[segment]) atomicMax(&round.segments.longest[segment], most);
  } else {
    atomicMin(&round.segments.shared[segment], shared);
    atomicMax(&round.segments.longest[segment], longest);
  }
}

__device__ inline void write_large(const LargeSegments& segments, std::uint32_t at, const Segment& segment) {
  segments.start[at] = segment.start;
  segments.offset[at] = segment.count;
  segments.depth[at] = segment.depth;
  segments.shared[at] = ~0u;
  segments.longest[at] = 0;
}

// Segments of equal strings are final; the others go on behind the prefix that they share.
__global__ void drop_equal_segments_kernel(LargeRound round, LargeSegments kept, StringCounters* counters) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool is_in = i < round.segment_count;
  const std::uint32_t shared = is_in ? round.segments.shared[i] : 0, longest = is_in ? round.segments.longest[i] : 0;
  const bool is_kept = shared < longest;
  const Segment segment{is_kept ? round.segments.start[i] : 0,
                        is_kept ? round.segments.offset[i + 1] - round.segments.offset[i] : 0, shared};
  const std::uint32_t place = take_place(&counters->lists.large_count, is_kept);
  if (is_kept) write_large(kept, place, segment);
  const std::uint32_t strings = warp_sum(segment.count), left = warp_max(longest - min(shared, longest));
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&counters->lists.large_strings, strings);
  atomicMax(&counters->longest, left);
}

// Keys of later rounds, in the order that the rounds before found.
__global__ void make_round_keys_kernel(DeviceStrings strings, const __grid_constant__ StringDigits digits,
                                       DigitKey shape, LargeRound round, const std::uint32_t* order,
                                       std::uint64_t* keys, std::uint32_t* values) {
  __shared__ std::uint16_t s_digit_of[256];
  copy_digits(s_digit_of, digits);
  const std::size_t thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const bool is_in = thread < round.string_count;
  const auto at = is_in ? static_cast<std::uint32_t>(thread) : round.string_count - 1;
  const std::uint32_t segment = find_segment(round.segments, round.segment_count, at);
  if (!is_in) return;
  const std::uint32_t index = order[round.place(segment, at)];
  const std::uint64_t packed = pack_digits<std::uint64_t>(string_at(strings, index), round.segments.depth[segment],
                                                          digits.base, s_digit_of, shape.digits);
  keys[at] = shape.bits >= 64 ? packed : packed | (std::uint64_t{segment} << shape.bits);
  values[at] = index;
}

__global__ void write_order_kernel(LargeRound round, RoundKeys<std::uint64_t> sorted, const std::uint32_t* values,
                                   std::uint32_t* order) {
  const std::size_t at = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (at >= round.string_count) return;
  order[round.place(sorted.segment(sorted.keys[at]), static_cast<std::uint32_t>(at))] = values[at];
}

// One behind the last key that equals keys[first]: by doubling steps, then halving ones. `known` keys are equal.
template <typename Key>
__device__ std::uint32_t end_of_equal_keys(const RoundKeys<Key>& sorted, std::uint32_t first, std::uint32_t known) {
  const Key key = sorted.keys[first];
  std::uint32_t step = known, equal = first + known - 1;  // the last place known to be equal
  while (step < sorted.count - equal && sorted.keys[equal + step] == key) {
    equal += step;
    step *= 2;
  }
  for (step = min(step, sorted.count - equal); step > 1;) {
    const std::uint32_t half = step / 2;
    if (sorted.keys[equal + half] == key) {
      equal += half;
      step -= half;
    } else {
      step = half;
    }
  }
  return equal + 1;
}

// The segment of keys[first..]; `parent` has no segments in the first round.
template <typename Key>
__device__ Segment segment_from(const RoundKeys<Key>& sorted, const LargeRound& parent, std::uint32_t digits,
                                std::uint32_t first, StringCounters* counters) {
  Segment segment{first, end_of_equal_keys(sorted, first, 2) - first, digits};
  if (parent.segment_count == 0) return segment;
  const std::uint32_t old = sorted.segment(sorted.keys[first]);
  segment.start = parent.place(old, first);
  segment.depth += parent.segments.depth[old];
  if (segment.count == parent.segments.offset[old + 1] - parent.segments.offset[old]) atomicAdd(&counters->unsplit, 1u);
  return segment;
}

__device__ inline void write_small(const SmallSegments& segments, std::uint32_t at, const Segment& segment) {
  segments.start[at] = segment.start;
  segments.offset[at] = segment.count;
  segments.depth[at] = segment.depth;
}

struct SegmentLists {
  SmallSegments tiny, small;
  LargeSegments large;
};

// A block's room in the lists: counted in shared memory first, so that the counters see one addition a block.
class ListRoom {
 public:
  struct Shared {
    ListCounters counted, first;
  };
  __device__ explicit ListRoom(Shared& shared) : s_(shared) {
    if (threadIdx.x == 0) s_.counted = ListCounters{};
    __syncthreads();
  }
  // Place of a segment among the block's of its class.
  __device__ std::uint32_t count(std::uint32_t ListCounters::*counter, std::uint32_t ListCounters::*strings,
                                 const Segment& segment) {
    atomicAdd(&(s_.counted.*strings), segment.count);
    return atomicAdd(&(s_.counted.*counter), 1u);
  }
  __device__ void take(ListCounters* counters) {
    __syncthreads();
    constexpr unsigned kCounters = sizeof(ListCounters) / sizeof(std::uint32_t);
    if (threadIdx.x < kCounters) {
      const std::uint32_t added = reinterpret_cast<const std::uint32_t*>(&s_.counted)[threadIdx.x];
      auto* const counter = reinterpret_cast<std::uint32_t*>(counters) + threadIdx.x;
      reinterpret_cast<std::uint32_t*>(&s_.first)[threadIdx.x] = added == 0 ? 0 : atomicAdd(counter, added);
    }
    __syncthreads();
  }
  __device__ std::uint32_t first(std::uint32_t ListCounters::*counter) const { return s_.first.*counter; }

 private:
  Shared& s_;
};

inline constexpr unsigned kListItems = 8;  // keys of a thread
inline constexpr unsigned kListKeys = kListItems * kStringThreads;

template <typename Key>
__global__ void list_segments_kernel(RoundKeys<Key> sorted, LargeRound parent, std::uint32_t digits, SegmentLists lists,
                                     StringCounters* counters) {
  __shared__ ListRoom::Shared s_room;
  ListRoom room(s_room);
  Segment segments[kListItems];
  std::uint32_t place[kListItems];
#pragma unroll
  for (unsigned i = 0; i < kListItems; ++i) {
    const std::size_t at = blockIdx.x * std::size_t{kListKeys} + i * kStringThreads + threadIdx.x;
    segments[i].count = 0;
    if (at >= sorted.count || !sorted.begins_segment(static_cast<std::uint32_t>(at))) continue;
    const Segment segment = segment_from(sorted, parent, digits, static_cast<std::uint32_t>(at), counters);
    segments[i] = segment;
    place[i] = segment.count <= kTinySegment
                   ? room.count(&ListCounters::tiny_count, &ListCounters::tiny_strings, segment)
               : segment.count <= kSmallSegment
                   ? room.count(&ListCounters::small_count, &ListCounters::small_strings, segment)
                   : room.count(&ListCounters::large_count, &ListCounters::large_strings, segment);
  }
  room.take(&counters->lists);
#pragma unroll
  for (unsigned i = 0; i < kListItems; ++i) {
    const Segment& segment = segments[i];
    if (segment.count == 0) continue;
    if (segment.count <= kTinySegment) {
      write_small(lists.tiny, room.first(&ListCounters::tiny_count) + place[i], segment);
    } else if (segment.count <= kSmallSegment) {
      write_small(lists.small, room.first(&ListCounters::small_count) + place[i], segment);
    } else {
      write_large(lists.large, room.first(&ListCounters::large_count) + place[i], segment);
    }
  }
}

}  // namespace spillway
