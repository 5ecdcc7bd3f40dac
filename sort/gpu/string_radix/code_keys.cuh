// Kernels for the codes of gpu-string-radix: the table of intervals from a sample, the codes of all strings, and keys
// from them.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "sort/gpu/string_radix/keys.cuh"
#include "sort/gpu/string_radix/order_preserving_code.hpp"

namespace spillway {

// Counts digits by context in `sampled` strings spread over the set, one thread a string.
__global__ void count_digits_kernel(DeviceStrings strings, const __grid_constant__ StringDigits alphabet,
                                    std::uint32_t sampled, CodeInterval* counts) {
  __shared__ StringDigits s_alphabet;
  copy_digits(s_alphabet, alphabet);
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  const auto index = static_cast<std::uint32_t>(std::uint64_t{min(thread, sampled - 1)} * strings.count / sampled);
  const DeviceString string = string_at(strings, index);
  std::uint32_t context = 0;
  for (std::uint32_t at = 0; at < kSampledBytes; ++at) {
    const bool goes_on = thread < sampled && at <= string.bytes;
    const unsigned going_on = __ballot_sync(~0U, goes_on);  // the whole warp stays in the loop
    if (going_on == 0) break;
    if (!goes_on) continue;
    const std::uint32_t digit = at < string.bytes ? s_alphabet.digit_of[string.data[at]] : 0;
    const std::uint32_t place = context * s_alphabet.base + digit;
    const unsigned same = __match_any_sync(going_on, place);  // many strings have the same prefixes
    if (threadIdx.x % 32 == __ffs(static_cast<int>(same)) - 1u) atomicAdd(&counts[place], __popc(same));
    context = digit;
  }
}

// Turns the counts of each context into intervals, one block a context.
inline constexpr unsigned kIntervalThreads = 256;
static_assert(kMaxCodeBase <= kIntervalThreads);
__global__ __launch_bounds__(kIntervalThreads) void make_code_intervals_kernel(std::uint32_t base,
                                                                               CodeInterval* intervals) {
  using Reduce = cub::BlockReduce<std::uint32_t, kIntervalThreads>;
  using Scan = cub::BlockScan<std::uint32_t, kIntervalThreads>;
  __shared__ union {
    Reduce::TempStorage reduce;
    Scan::TempStorage scan;
  } s_temp;
  __shared__ std::uint32_t s_all;
  CodeInterval* const interval = intervals + blockIdx.x * base + threadIdx.x;
  const std::uint32_t count = threadIdx.x < base ? *interval : 0, all = Reduce(s_temp.reduce).Sum(count);
  if (threadIdx.x == 0) s_all = all;
  __syncthreads();
  const std::uint32_t width = threadIdx.x < base ? code_width(count, s_all, base) : 0;
  std::uint32_t begin = 0;
  Scan(s_temp.scan).ExclusiveSum(width, begin);
  if (threadIdx.x < base) *interval = make_code_interval(begin, width);
}

// Makes the codes of all strings by the table. Blocks loop over strings, because each copies the table to shared
// memory.
inline constexpr unsigned kCodeThreads = 1024, kCodeItems = 2;
__global__ __launch_bounds__(kCodeThreads) void make_codes_kernel(DeviceStrings strings,
                                                                  const __grid_constant__ StringDigits alphabet,
                                                                  const CodeInterval* intervals, FirstKeys out) {
  extern __shared__ CodeInterval s_intervals[];
  __shared__ StringDigits s_alphabet;
  for (unsigned i = threadIdx.x; i < alphabet.base * alphabet.base; i += kCodeThreads) s_intervals[i] = intervals[i];
  copy_digits(s_alphabet, alphabet);
  const auto make_codes = [&](std::size_t at, const DeviceString& string, const UnalignedWord& word) {
    const StringCodes codes = code_string(string, 0, word, s_alphabet, s_intervals);
    out.keys[at] = codes.first;
    out.second[at] = codes.second;
    out.values[at] = static_cast<std::uint32_t>(at);
  };
  for (std::size_t begin = blockIdx.x * std::size_t{kCodeItems * kCodeThreads} + threadIdx.x; begin < strings.count;
       begin += gridDim.x * std::size_t{kCodeItems * kCodeThreads}) {
    for_strings_at_once<kCodeItems>(strings, begin, kCodeThreads, make_codes);
  }
}

// Makes the keys of the second round from second codes.
__global__ void make_second_keys_kernel(const std::uint32_t* codes, std::uint32_t code_bits, LargeRound round,
                                        RoundArrays arrays) {
  make_round_key(round, arrays, [&](std::uint32_t segment, std::uint32_t index) {
    return std::uint64_t{segment} << code_bits | codes[index];
  });
}

// Makes the keys of later rounds from codes of the bytes after the prefix that a segment shares.
__global__ void make_round_codes_kernel(DeviceStrings strings, const __grid_constant__ StringDigits alphabet,
                                        const CodeInterval* intervals, LargeRound round, RoundArrays arrays) {
  __shared__ StringDigits s_alphabet;
  copy_digits(s_alphabet, alphabet);
  make_round_key(round, arrays, [&](std::uint32_t segment, std::uint32_t index) {
    const std::uint32_t depth = round.segments.depth[segment];
    const std::uint32_t code = code_string(string_at(strings, index), depth, s_alphabet, intervals).first;
    return std::uint64_t{segment} << (kCodeBits + 1) | code;
  });
}

}  // namespace spillway
