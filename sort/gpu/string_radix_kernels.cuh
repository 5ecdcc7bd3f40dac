// Kernels between the radix sorts of gpu-string-radix: which bytes occur, keys, new segments, shared prefixes.
#pragma once

#include "sort/gpu/string_compare.cuh"
#include "sort/gpu/string_digits.hpp"
#include "sort/gpu/string_segments.hpp"

namespace spillway {

inline constexpr unsigned kStringThreads = 256;

// Segments of a list, and the strings in them.
struct ListCounters {
  std::uint32_t segments;
  std::uint32_t strings;
};

// What the host reads back between rounds.
struct StringCounters {
  std::uint32_t used[8];                   // byte values that occur, as for make_string_digits
  std::uint32_t longest;                   // bytes of the longest string; in later rounds, of what is left of it
  std::uint32_t unsplit;                   // segments that a round left as they were: never
  ListCounters lists[kFinishClasses + 1];  // the last one: large segments
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
  for (unsigned shift = 0; shift < 32; shift += 8) {
    mark_byte(s_used, bytes.x >> shift & 255);
    mark_byte(s_used, bytes.y >> shift & 255);
    mark_byte(s_used, bytes.z >> shift & 255);
    mark_byte(s_used, bytes.w >> shift & 255);
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
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) mark_bytes(s_used, some[i]);
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

// In shared memory, where lanes look up different bytes at once.
__device__ inline void copy_digits(StringDigits& s_alphabet, const StringDigits& alphabet) {
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) s_alphabet.digit_of[i] = alphabet.digit_of[i];
  if (threadIdx.x == 0) s_alphabet.base = alphabet.base;
  __syncthreads();
}

// Keys of the first round, in which all strings are one segment.
inline constexpr unsigned kFirstKeyItems = 4;  // strings of a thread
__global__ void make_first_keys_kernel(DeviceStrings strings, const __grid_constant__ StringDigits alphabet,
                                       std::uint32_t digit_count, std::uint32_t* keys, std::uint32_t* values) {
  __shared__ StringDigits s_alphabet;
  copy_digits(s_alphabet, alphabet);
  const std::size_t first = blockIdx.x * std::size_t{kFirstKeyItems * kStringThreads} + threadIdx.x;
  DeviceString some[kFirstKeyItems];
  UnalignedWord words[kFirstKeyItems];
#pragma unroll
  for (unsigned i = 0; i < kFirstKeyItems; ++i) {
    const std::size_t at = first + i * kStringThreads;
    some[i] = string_at(strings, static_cast<std::uint32_t>(at < strings.count ? at : strings.count - 1));
  }
#pragma unroll
  for (unsigned i = 0; i < kFirstKeyItems; ++i) words[i] = load_unaligned(some[i].data, some[i].bytes);
#pragma unroll
  for (unsigned i = 0; i < kFirstKeyItems; ++i) {
    const std::size_t at = first + i * kStringThreads;
    if (at >= strings.count) break;
    keys[at] = pack_digits<std::uint32_t>(some[i], 0, words[i], s_alphabet, digit_count);
    values[at] = static_cast<std::uint32_t>(at);
  }
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
  const std::uint32_t place = take_place(&counters->lists[kFinishClasses].segments, is_kept);
  if (is_kept) write_large(kept, place, segment);
  const std::uint32_t strings = warp_sum(segment.count), left = warp_max(longest - min(shared, longest));
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&counters->lists[kFinishClasses].strings, strings);
  atomicMax(&counters->longest, left);
}

// Keys of later rounds, in the order that the rounds before found.
__global__ void make_round_keys_kernel(DeviceStrings strings, const __grid_constant__ StringDigits alphabet,
                                       DigitKey shape, LargeRound round, const std::uint32_t* order,
                                       std::uint64_t* keys, std::uint32_t* values) {
  __shared__ StringDigits s_alphabet;
  copy_digits(s_alphabet, alphabet);
  const std::size_t thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const bool is_in = thread < round.string_count;
  const auto at = is_in ? static_cast<std::uint32_t>(thread) : round.string_count - 1;
  const std::uint32_t segment = find_segment(round.segments, round.segment_count, at);
  if (!is_in) return;
  const std::uint32_t index = order[round.place(segment, at)];
  const std::uint64_t packed =
      pack_digits<std::uint64_t>(string_at(strings, index), round.segments.depth[segment], s_alphabet, shape.digits);
  keys[at] = shape.bits >= 64 ? packed : packed | (std::uint64_t{segment} << shape.bits);
  values[at] = index;
}

__global__ void write_order_kernel(LargeRound round, RoundKeys<std::uint64_t> sorted, const std::uint32_t* values,
                                   std::uint32_t* order) {
  const std::size_t at = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (at >= round.string_count) return;
  order[round.place(sorted.segment(sorted.keys[at]), static_cast<std::uint32_t>(at))] = values[at];
}

// A block's stretch of the sorted keys in shared memory, with a key before and one behind.
inline constexpr unsigned kListItems = 8;  // keys of a thread
inline constexpr unsigned kListKeys = kListItems * kStringThreads;
template <typename Key>
class KeyStretch {
 public:
  using Shared = Key[kListKeys + 2];
  __device__ KeyStretch(const RoundKeys<Key>& sorted, Shared& keys)
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
  // The first of several strings of one key that go on.
  __device__ bool begins_segment(std::size_t at) const {
    return at + 1 < sorted_.count && key(at + 1) == key(at) && (at == 0 || keys_[at - begin_] != key(at)) &&
           !sorted_.has_ended(key(at));
  }
  // One behind the last key that equals the one at `first` and the one behind it: by doubling steps, then halving ones.
  __device__ std::uint32_t end_of_segment(std::size_t first) const {
    const Key wanted = key(first);
    std::size_t equal = first + 1, step = 2;
    while (step < sorted_.count - equal && key(equal + step) == wanted) {
      equal += step;
      step *= 2;
    }
    for (step = min(step, sorted_.count - equal); step > 1;) {
      const std::size_t half = step / 2;
      const bool is_equal = key(equal + half) == wanted;
      equal += is_equal ? half : 0;
      step = is_equal ? step - half : half;
    }
    return static_cast<std::uint32_t>(equal + 1);
  }

 private:
  __device__ void load(unsigned i) {
    const std::size_t at = begin_ + i;  // one behind the key's place
    keys_[i] = at > 0 && at <= sorted_.count ? sorted_.keys[at - 1] : Key{0};
  }

  const RoundKeys<Key>& sorted_;
  Shared& keys_;
  std::size_t begin_;
};

// The segment of keys [first, end); `parent` has no segments in the first round.
template <typename Key>
__device__ Segment make_segment(const RoundKeys<Key>& sorted, const LargeRound& parent, std::uint32_t digits,
                                uint2 range, StringCounters* counters) {
  Segment segment{range.x, range.y - range.x, digits};
  if (parent.segment_count == 0) return segment;
  const std::uint32_t old = sorted.segment(sorted.keys[range.x]);
  segment.start = parent.place(old, range.x);
  segment.depth += parent.segments.depth[old];
  if (segment.count == parent.segments.offset[old + 1] - parent.segments.offset[old]) atomicAdd(&counters->unsplit, 1u);
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

// A block's room in the lists: counted by warps, then by the block, so that the counters see one addition a block.
class ListRoom {
 public:
  using Shared = ListCounters[2][kFinishClasses + 1];  // of the block; those before it
  __device__ explicit ListRoom(Shared& shared) : s_(shared) {
    if (threadIdx.x <= kFinishClasses) s_[0][threadIdx.x] = {0, 0};
    __syncthreads();
  }
  // All lanes of the warp call this; its place among the warp's of that class. No class: more than kFinishClasses.
  __device__ std::uint32_t count(unsigned segment_class, std::uint32_t strings) {
    std::uint32_t place = 0;
#pragma unroll
    for (unsigned i = 0; i <= kFinishClasses; ++i) {
      const unsigned lanes = __ballot_sync(~0u, segment_class == i);
      if (segment_class == i) {
        place = segments_[i] + static_cast<unsigned>(__popc(lanes & ((1u << (threadIdx.x % 32)) - 1)));
        strings_[i] += strings;
      }
      segments_[i] += static_cast<unsigned>(__popc(lanes));
    }
    return place;
  }
  __device__ void take(ListCounters* counters) {
#pragma unroll
    for (unsigned i = 0; i <= kFinishClasses; ++i) {
      const std::uint32_t strings = warp_sum(strings_[i]);
      std::uint32_t first = 0;
      if (threadIdx.x % 32 == 0 && segments_[i] > 0) {
        first = atomicAdd(&s_[0][i].segments, segments_[i]);
        atomicAdd(&s_[0][i].strings, strings);
      }
      segments_[i] = __shfl_sync(~0u, first, 0);
    }
    __syncthreads();
    if (threadIdx.x <= kFinishClasses && s_[0][threadIdx.x].segments > 0) {
      s_[1][threadIdx.x].segments = atomicAdd(&counters[threadIdx.x].segments, s_[0][threadIdx.x].segments);
      atomicAdd(&counters[threadIdx.x].strings, s_[0][threadIdx.x].strings);
    }
    __syncthreads();
  }
  // Where the warp's of a class begin in the list, after take().
  __device__ std::uint32_t first(unsigned segment_class) const {
    std::uint32_t first = 0;
#pragma unroll
    for (unsigned i = 0; i <= kFinishClasses; ++i) {
      if (segment_class == i) first = segments_[i] + s_[1][i].segments;
    }
    return first;
  }

 private:
  Shared& s_;
  std::uint32_t segments_[kFinishClasses + 1] = {};  // of the warp
  std::uint32_t strings_[kFinishClasses + 1] = {};   // of the thread
};

template <typename Key>
__global__ void list_segments_kernel(RoundKeys<Key> sorted, LargeRound parent, std::uint32_t digits,
                                     const __grid_constant__ SegmentLists lists, StringCounters* counters) {
  __shared__ typename KeyStretch<Key>::Shared s_keys;
  __shared__ ListRoom::Shared s_room;
  const KeyStretch<Key> stretch(sorted, s_keys);
  ListRoom room(s_room);
  std::uint32_t end[kListItems], place[kListItems];
#pragma unroll
  for (unsigned i = 0; i < kListItems; ++i) {
    const std::size_t first = stretch.place(i);
    const bool begins = first < sorted.count && stretch.begins_segment(first);
    end[i] = begins ? stretch.end_of_segment(first) : 0;
    const std::uint32_t count = begins ? end[i] - static_cast<std::uint32_t>(first) : 0;
    place[i] = room.count(begins ? class_of_segment(count) : ~0u, count);
  }
  room.take(counters->lists);
#pragma unroll
  for (unsigned i = 0; i < kListItems; ++i) {
    if (end[i] == 0) continue;
    const auto first = static_cast<std::uint32_t>(stretch.place(i));
    const Segment segment = make_segment(sorted, parent, digits, {first, end[i]}, counters);
    const unsigned segment_class = class_of_segment(segment.count);
    lists.write(segment_class, room.first(segment_class) + place[i], segment);
  }
}

}  // namespace spillway
