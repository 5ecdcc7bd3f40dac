// Kernels that make the keys of gpu-string-radix: the alphabet, the keys of the first round, and those of later ones.
#pragma once

#include "sort/gpu/string/used_bytes.cuh"
#include "sort/gpu/string_radix/large.cuh"
#include "sort/gpu/string_radix/order_preserving_code.hpp"

namespace spillway {

// Output of the first round; second: second codes, or null.
struct FirstKeys {
  std::uint32_t *keys, *second, *values;
};

// The order that a later round starts from, and its output.
struct RoundArrays {
  const std::uint32_t* order;
  std::uint64_t* keys;
  std::uint32_t* values;
};

// Finds the alphabet and the longest string. Reads all bytes and offsets once.
__global__ void find_used_bytes_kernel(DeviceStrings strings, StringCounters* counters) {
  find_used_bytes(strings, counters->used);
  const std::size_t thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  std::uint32_t longest = 0;
#pragma unroll 4
  for (std::size_t i = thread; i < strings.count; i += threads) {
    longest = max(longest, static_cast<std::uint32_t>(strings.d_offsets[i + 1] - strings.d_offsets[i]));
  }
  longest = warp_max(longest);
  if (threadIdx.x % 32 == 0) atomicMax(&counters->longest, longest);
}

// Copies the digits to shared memory, where the lanes of a warp look up different bytes at once.
__device__ inline void copy_digits(StringDigits& s_alphabet, const StringDigits& alphabet) {
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) s_alphabet.digit_of[i] = alphabet.digit_of[i];
  if (threadIdx.x == 0) s_alphabet.base = alphabet.base;
  __syncthreads();
}

// Calls use(i, string, word) for up to kItems strings i = first, first + step, ... `word`: load_unaligned() at the
// begin of the string. The loads of all of them are in flight together.
template <unsigned kItems, typename Use>
__device__ void for_strings_at_once(const DeviceStrings& strings, std::size_t first, std::size_t step, Use use) {
  DeviceString some[kItems];
  UnalignedWord words[kItems];
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    const std::size_t at = first + i * step;
    some[i] = string_at(strings, static_cast<std::uint32_t>(at < strings.count ? at : strings.count - 1));
  }
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) words[i] = load_unaligned(some[i].data, some[i].bytes);
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    const std::size_t at = first + i * step;
    if (at >= strings.count) break;
    use(at, some[i], words[i]);
  }
}

// Makes the keys of the first round, in which all strings are one segment, and second codes unless `second` is null.
inline constexpr unsigned kFirstKeyItems = 4;  // strings of a thread
__global__ void make_first_keys_kernel(DeviceStrings strings, const __grid_constant__ StringDigits alphabet,
                                       DigitKey shape, FirstKeys out) {
  __shared__ StringDigits s_alphabet;
  copy_digits(s_alphabet, alphabet);
  const std::size_t first = blockIdx.x * std::size_t{kFirstKeyItems * kStringThreads} + threadIdx.x;
  const auto make_key = [&](std::size_t at, const DeviceString& string, const UnalignedWord& word) {
    const StringCodes codes = code_digits(string, word, s_alphabet, shape);
    out.keys[at] = codes.first;
    if (out.second != nullptr) out.second[at] = codes.second;
    out.values[at] = static_cast<std::uint32_t>(at);
  };
  for_strings_at_once<kFirstKeyItems>(strings, first, kStringThreads, make_key);
}

// Makes the thread's key of a later round, key_of(segment, string), in the order that earlier rounds found.
template <typename KeyOf>
__device__ void make_round_key(const LargeRound& round, const RoundArrays& arrays, KeyOf key_of) {
  const RoundPlace place(round);
  if (!place.is_in) return;
  const std::uint32_t index = arrays.order[round.place(place.segment, place.at)];
  arrays.keys[place.at] = key_of(place.segment, index);
  arrays.values[place.at] = index;
}

// Makes the keys of later rounds from digits.
__global__ void make_round_keys_kernel(DeviceStrings strings, const __grid_constant__ StringDigits alphabet,
                                       DigitKey shape, LargeRound round, RoundArrays arrays) {
  __shared__ StringDigits s_alphabet;
  copy_digits(s_alphabet, alphabet);
  make_round_key(round, arrays, [&](std::uint32_t segment, std::uint32_t index) {
    const std::uint32_t depth = round.segments.depth[segment];
    const auto packed = pack_digits<std::uint64_t>(string_at(strings, index), depth, s_alphabet, shape);
    return shape.bits >= 64 ? packed : packed | (std::uint64_t{segment} << shape.bits);
  });
}

__global__ void write_order_kernel(LargeRound round, RoundKeys<std::uint64_t> sorted, const std::uint32_t* values,
                                   std::uint32_t* order) {
  const std::size_t at = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (at >= round.string_count) return;
  order[round.place(sorted.segment(sorted.keys[at]), static_cast<std::uint32_t>(at))] = values[at];
}

// Marks, in the result, the strings of a round whose keys differ from those before them in their segment. Strings with
// one key keep no mark: they are equal, or later rounds mark them. The first round marks every place.
template <typename Key>
__global__ void mark_firsts_kernel(LargeRound round, RoundKeys<Key> sorted, std::uint8_t* firsts) {
  const std::size_t thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (thread >= sorted.count) return;
  const auto at = static_cast<std::uint32_t>(thread);
  const Key key = sorted.keys[at];
  const bool differs = at == 0 || sorted.keys[at - 1] != key;
  if (round.segment_count == 0) {
    firsts[at] = differs ? 1 : 0;
  } else if (differs) {
    // Where a segment begins the mark is 1 already.
    firsts[round.place(sorted.segment(key), at)] = 1;
  }
}

// Marks the strings of sorted segments that differ from those before them, by comparing neighbours.
__global__ void mark_segments_kernel(DeviceStrings strings, LargeRound round, const std::uint32_t* order,
                                     std::uint8_t* firsts) {
  const RoundPlace place(round);
  if (!place.is_in || place.at == round.segments.offset[place.segment]) return;
  const std::uint32_t at = round.place(place.segment, place.at), depth = round.segments.depth[place.segment];
  const DeviceString string = string_at(strings, order[at]), before = string_at(strings, order[at - 1]);
  const bool is_equal = string.bytes == before.bytes && shared_prefix(before, string, depth) == string.bytes;
  firsts[at] = is_equal ? 0 : 1;
}

}  // namespace spillway
