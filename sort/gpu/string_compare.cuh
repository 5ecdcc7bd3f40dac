// Strings in device memory compared byte by byte in memcmp's order, eight bytes at a time; and what all string sorters
// share: the identity order, and LCPs of an order.
#pragma once

#include <cub/device/device_for.cuh>

#include "io/error.hpp"
#include "sort/gpu/cuda_check.cuh"
#include "sort/gpu/device_string_sorter.hpp"

namespace spillway {

inline void check_string_count(std::size_t count) {
  if (count > 0xFFFFFFFF) throw UsageError("a string sorter orders at most 2^32-1 strings at once: split the set");
}

// Eight bytes at any address as a big-endian number, so that numbers compare as bytes do. Reads the aligned words that
// the bytes lie in: a word that holds a wanted byte, and the one behind it only if it holds one too.
__device__ inline std::uint64_t load_big_endian(const std::uint8_t* at, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const auto* word = reinterpret_cast<const std::uint64_t*>(address & ~std::uintptr_t{7});
  const unsigned shift = static_cast<unsigned>(address & 7) * 8;
  std::uint64_t value = word[0] >> shift;
  if (shift != 0 && (address & 7) + bytes > 8) value |= word[1] << (64 - shift);
  const std::uint64_t swapped = (std::uint64_t{__byte_perm(static_cast<unsigned>(value), 0, 0x0123)} << 32) |
                                __byte_perm(static_cast<unsigned>(value >> 32), 0, 0x0123);
  return bytes >= 8 ? swapped : bytes == 0 ? 0 : swapped & (~std::uint64_t{0} << (64 - 8 * bytes));
}

// Bytes that two strings share from `from` on, at most `least` - from; `from` <= least = the shorter one's length.
__device__ inline std::uint64_t shared_prefix(const std::uint8_t* a, const std::uint8_t* b, std::uint64_t from,
                                              std::uint64_t least) {
  for (std::uint64_t at = from; at < least; at += 8) {
    const std::uint64_t left = least - at;
    const std::size_t bytes = left < 8 ? left : 8;
    const std::uint64_t difference = load_big_endian(a + at, bytes) ^ load_big_endian(b + at, bytes);
    if (difference != 0) return at + static_cast<unsigned>(__clzll(static_cast<long long>(difference))) / 8;
  }
  return least;
}

struct StringIndexLess {
  DeviceStrings strings;
  __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    const std::uint64_t a_begin = strings.d_offsets[a], a_bytes = strings.d_offsets[a + 1] - a_begin;
    const std::uint64_t b_begin = strings.d_offsets[b], b_bytes = strings.d_offsets[b + 1] - b_begin;
    const std::uint64_t least = a_bytes < b_bytes ? a_bytes : b_bytes;
    const std::uint64_t shared = shared_prefix(strings.d_bytes + a_begin, strings.d_bytes + b_begin, 0, least);
    if (shared == least) return a_bytes < b_bytes;
    return strings.d_bytes[a_begin + shared] < strings.d_bytes[b_begin + shared];
  }
};

inline void fill_identity(std::uint32_t* d_order, std::size_t count, GpuStreamHandle stream) {
  cuda_check(cub::DeviceFor::Bulk(
      count, [d_order] __device__(std::size_t i) { d_order[i] = static_cast<std::uint32_t>(i); }, stream));
}

inline void compute_lcps(const DeviceStrings& strings, const std::uint32_t* d_order, std::uint32_t* d_lcps,
                         GpuStreamHandle stream) {
  cuda_check(cub::DeviceFor::Bulk(
      strings.count,
      [strings, d_order, d_lcps] __device__(std::size_t i) {
        if (i == 0) {
          d_lcps[0] = 0;
          return;
        }
        const std::uint64_t a = strings.d_offsets[d_order[i - 1]], b = strings.d_offsets[d_order[i]];
        const std::uint64_t a_bytes = strings.d_offsets[d_order[i - 1] + 1] - a;
        const std::uint64_t b_bytes = strings.d_offsets[d_order[i] + 1] - b;
        d_lcps[i] = static_cast<std::uint32_t>(
            shared_prefix(strings.d_bytes + a, strings.d_bytes + b, 0, a_bytes < b_bytes ? a_bytes : b_bytes));
      },
      stream));
}

}  // namespace spillway
