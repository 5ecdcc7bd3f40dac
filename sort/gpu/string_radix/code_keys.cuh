// Kernels for the codes of gpu-string-radix: the table from a sample, the codes of all strings, and keys from them.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "sort/gpu/string_radix/keys.cuh"
#include "sort/gpu/string_radix/order_preserving_code.hpp"

namespace spillway {

// Counts digits by context in `sampled` strings that are spread over the set, a thread each.
__global__ void count_digits_kernel(DeviceStrings strings, const __grid_constant__ StringDigits alphabet,
                                    std::uint32_t sampled, CodePart* counts) {
  __shared__ StringDigits s_alphabet;
  copy_digits(s_alphabet, alphabet);
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  const auto index = static_cast<std::uint32_t>(std::uint64_t{min(thread, sampled - 1)} * strings.count / sampled);
  const DeviceString string = string_at(strings, index);
  std::uint32_t context = 0;
  for (std::uint32_t at = 0; at < kSampledBytes; ++at) {
    const bool goes_on = thread < sampled && at <= string.bytes;
    const unsigned going_on = __ballot_sync(~0U, goes_on);  // of the whole warp, which stays in the loop
    if (going_on == 0) break;
    if (!goes_on) continue;
    const std::uint32_t digit = at < string.bytes ? s_alphabet.digit_of[string.data[at]] : 0;
    const std::uint32_t place = context * s_alphabet.base + digit;
    const unsigned same = __match_any_sync(going_on, place);  // many strings are alike
    if (threadIdx.x % 32 == __ffs(static_cast<int>(same)) - 1u) atomicAdd(&counts[place], __popc(same));
    context = digit;
  }
}

// A block a context: its counts become parts.
inline constexpr unsigned kPartThreads = 256;
static_assert(kMostCodeBase <= kPartThreads);
__global__ __launch_bounds__(kPartThreads) void make_code_parts_kernel(std::uint32_t base, CodePart* parts) {
  using Reduce = cub::BlockReduce<std::uint32_t, kPartThreads>;
  using Scan = cub::BlockScan<std::uint32_t, kPartThreads>;
  __shared__ union {
    Reduce::TempStorage reduce;
    Scan::TempStorage scan;
  } s_temp;
  __shared__ std::uint32_t s_all;
  CodePart* const part = parts + blockIdx.x * base + threadIdx.x;
  const std::uint32_t count = threadIdx.x < base ? *part : 0, all = Reduce(s_temp.reduce).Sum(count);
  if (threadIdx.x == 0) s_all = all;
  __syncthreads();
  const std::uint32_t width = threadIdx.x < base ? code_width(count, s_all, base) : 0;
  std::uint32_t begin = 0;
  Scan(s_temp.scan).ExclusiveSum(width, begin);
  if (threadIdx.x < base) *part = make_code_part(begin, width);
}

// Codes of all strings by a table. Blocks go round, because each copies the table to shared memory.
inline constexpr unsigned kCodeThreads = 1024, kCodeItems = 2;
__global__ __launch_bounds__(kCodeThreads) void make_codes_kernel(DeviceStrings strings,
                                                                  const __grid_constant__ StringDigits alphabet,
                                                                  const CodePart* parts, std::uint32_t* first,
                                                                  std::uint32_t* second, std::uint32_t* values) {
  extern __shared__ CodePart s_parts[];
  __shared__ StringDigits s_alphabet;
  for (unsigned i = threadIdx.x; i < alphabet.base * alphabet.base; i += kCodeThreads) s_parts[i] = parts[i];
  copy_digits(s_alphabet, alphabet);
  const auto make_codes = [&](std::size_t at, const DeviceString& string, const UnalignedWord& word) {
    const StringCodes codes = code_string(string, 0, word, s_alphabet, s_parts);
    first[at] = codes.first;
    second[at] = codes.second;
    values[at] = static_cast<std::uint32_t>(at);
  };
  for (std::size_t begin = blockIdx.x * std::size_t{kCodeItems * kCodeThreads} + threadIdx.x; begin < strings.count;
       begin += gridDim.x * std::size_t{kCodeItems * kCodeThreads}) {
    for_strings_at_once<kCodeItems>(strings, begin, kCodeThreads, make_codes);
  }
}

// Keys of the second round from second codes.
__global__ void make_second_keys_kernel(const std::uint32_t* codes, std::uint32_t code_bits, LargeRound round,
                                        const std::uint32_t* order, std::uint64_t* keys, std::uint32_t* values) {
  make_round_key(round, order, keys, values, [&](std::uint32_t segment, std::uint32_t index) {
    return std::uint64_t{segment} << code_bits | codes[index];
  });
}

// Keys of later rounds from codes of what their segments do not share.
__global__ void make_round_codes_kernel(DeviceStrings strings, const __grid_constant__ StringDigits alphabet,
                                        const CodePart* parts, LargeRound round, const std::uint32_t* order,
                                        std::uint64_t* keys, std::uint32_t* values) {
  __shared__ StringDigits s_alphabet;
  copy_digits(s_alphabet, alphabet);
  make_round_key(round, order, keys, values, [&](std::uint32_t segment, std::uint32_t index) {
    const std::uint32_t depth = round.segments.depth[segment];
    const std::uint32_t code = code_string(string_at(strings, index), depth, s_alphabet, parts).first;
    return std::uint64_t{segment} << (kCodeBits + 1) | code;
  });
}

}  // namespace spillway
