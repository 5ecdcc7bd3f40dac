// Kernels that make the keys of gpu-string-radix: which bytes occur, keys of the first round and of later ones.
#pragma once

#include "sort/gpu/string_digits.hpp"
#include "sort/gpu/string_radix_large.cuh"

namespace spillway {

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

}  // namespace spillway
