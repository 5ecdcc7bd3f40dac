// The survey of gpu-string-merge before its first round: finds the alphabet and the common prefix of the strings.
#pragma once

#include "sort/gpu/string/used_bytes.cuh"
#include "sort/gpu/string_merge/prefix_key.hpp"
#include "sort/gpu/string_merge/shape.hpp"

namespace spillway {

namespace string_merge {

inline constexpr std::uint32_t kTile = kMergeTile, kThreads = kMergeThreads, kEach = kMergeEach;

// Returns `wanted`, or the blocks of kThreads that fit a multiprocessor if these are fewer.
constexpr std::uint32_t blocks_at_once(std::uint32_t wanted) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  constexpr std::uint32_t kRoom = 1024;
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ % 100 != 0 || __CUDA_ARCH__ >= 1200)
  constexpr std::uint32_t kRoom = 1536;
#else
  constexpr std::uint32_t kRoom = 2048;
#endif
  return wanted * kThreads < kRoom ? wanted : kRoom / kThreads;
}

// Result of survey_kernel, which requires zeros in it.
struct MergeSet {
  std::uint32_t used[8];     // byte values that occur, as for make_key_symbols
  std::uint32_t not_shared;  // ~ of the number of bytes that all strings share
  __device__ std::uint32_t root() const { return ~not_shared; }
};

// Limits the common prefix to what the string `index` shares with the first string.
inline __device__ void limit_root(const DeviceStrings& strings, const DeviceString& first, std::size_t index,
                                  MergeSet* d_set) {
  const volatile std::uint32_t* const not_shared = &d_set->not_shared;
  const std::uint32_t limit = ~*not_shared;
  if (limit == 0) return;
  const DeviceString string = string_at(strings, static_cast<std::uint32_t>(index));
  const std::uint32_t shared =
      index == 0 ? first.bytes : shared_prefix({first.data, first.bytes < limit ? first.bytes : limit}, string, 0);
  if (shared < limit) atomicMax(&d_set->not_shared, ~shared);
}

// Looks at a few strings first, which ends the search for a common prefix early where there is none.
__global__ void __launch_bounds__(kThreads) survey_kernel(DeviceStrings strings, MergeSet* d_set) {
  const std::size_t threads = std::size_t{gridDim.x} * kThreads, count = strings.count;
  const DeviceString first = string_at(strings, 0);
  if (threadIdx.x < 32) {
    const std::size_t some = std::size_t{gridDim.x} * 32, number = std::size_t{blockIdx.x} * 32 + threadIdx.x;
    limit_root(strings, first, number * count / some, d_set);
  }
  find_used_bytes(strings, d_set->used);
  const volatile std::uint32_t* const not_shared = &d_set->not_shared;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += threads) {
    if (*not_shared == 0xFFFFFFFF) return;
    limit_root(strings, first, i, d_set);
  }
}

// The set's alphabet in shared memory. Requires: all threads of the block call make(), and synchronize before its use.
struct SharedSymbols {
  std::uint8_t symbol_of[256];
  std::uint32_t values;
  // `d_used`: as in MergeSet.
  __device__ void make(const std::uint32_t* d_used) {
    static_assert(kThreads == 256);
    const unsigned byte = threadIdx.x, word = byte / 32;
    std::uint32_t before = __popc(d_used[word] & ((1u << (byte % 32)) - 1));
    for (unsigned i = 0; i < word; ++i) before += __popc(d_used[i]);
    symbol_of[byte] = static_cast<std::uint8_t>(before);
    if (byte == 255) values = before + (d_used[7] >> 31);
  }
  __device__ KeyAlphabet alphabet() const { return {symbol_of, symbol_bits(values)}; }
};

}  // namespace string_merge

}  // namespace spillway
