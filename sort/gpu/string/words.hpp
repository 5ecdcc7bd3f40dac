// Reads strings in device memory eight bytes at a time as numbers that compare in memcmp's order. Step logic of all
// string sorters, compiled for the host too.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "sort/gpu/device/host_device.hpp"
#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

SPILLWAY_HOST_DEVICE inline std::uint64_t bytes_reversed(std::uint64_t value) {
#ifdef __CUDA_ARCH__
  return (std::uint64_t{__byte_perm(static_cast<unsigned>(value), 0, 0x0123)} << 32) |
         __byte_perm(static_cast<unsigned>(value >> 32), 0, 0x0123);
#else
  return __builtin_bswap64(value);
#endif
}

SPILLWAY_HOST_DEVICE inline unsigned leading_zeros(std::uint64_t value) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__clzll(static_cast<long long>(value)));
#else
  return static_cast<unsigned>(std::countl_zero(value));
#endif
}

// The two aligned words around up to 8 bytes at any address. Words that hold none of the `bytes` bytes are not read.
// Loading is separate from big_endian(), so that a thread can have several loads in flight.
struct UnalignedWord {
  std::uint64_t low;
  std::uint64_t high;
};
SPILLWAY_HOST_DEVICE inline UnalignedWord load_unaligned(const std::uint8_t* at, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const auto* word = reinterpret_cast<const std::uint64_t*>(address & ~std::uintptr_t{7});
  return {bytes > 0 ? word[0] : 0, (address & 7) + (bytes < 8 ? bytes : 8) > 8 ? word[1] : 0};
}

// Returns the bytes as a big-endian number, whose order is that of the bytes. Missing bytes are 0.
SPILLWAY_HOST_DEVICE inline std::uint64_t big_endian(const UnalignedWord& word, const std::uint8_t* at,
                                                     std::size_t bytes) {
  const unsigned shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at) & 7) * 8;
  const std::uint64_t value = word.low >> shift | word.high << 1 << (63 - shift);
  const std::uint64_t swapped = bytes_reversed(value);
  return bytes >= 8 ? swapped : bytes == 0 ? 0 : swapped & (~std::uint64_t{0} << (64 - 8 * bytes));
}

SPILLWAY_HOST_DEVICE inline std::uint64_t load_big_endian(const std::uint8_t* at, std::size_t bytes) {
  return big_endian(load_unaligned(at, bytes), at, bytes);
}

// Returns the length of the common prefix of two strings, at most `least`. Requires: they share `from` bytes; `from` <=
// `least` <= the length of the shorter string.
SPILLWAY_HOST_DEVICE inline std::uint64_t shared_prefix(const std::uint8_t* a, const std::uint8_t* b,
                                                        std::uint64_t from, std::uint64_t least) {
  for (std::uint64_t at = from; at < least; at += 8) {
    const std::uint64_t left = least - at;
    const std::size_t bytes = left < 8 ? left : 8;
    const std::uint64_t difference = load_big_endian(a + at, bytes) ^ load_big_endian(b + at, bytes);
    if (difference != 0) return at + leading_zeros(difference) / 8;
  }
  return least;
}

// One string of a set, shorter than 2^32 bytes.
struct DeviceString {
  const std::uint8_t* data;
  std::uint32_t bytes;
};
SPILLWAY_HOST_DEVICE inline DeviceString string_at(const DeviceStrings& strings, std::uint32_t index) {
  const std::uint64_t begin = strings.d_offsets[index];
  return {strings.d_bytes + begin, static_cast<std::uint32_t>(strings.d_offsets[index + std::size_t{1}] - begin)};
}

SPILLWAY_HOST_DEVICE inline std::uint32_t shared_prefix(const DeviceString& a, const DeviceString& b,
                                                        std::uint32_t from) {
  return static_cast<std::uint32_t>(shared_prefix(a.data, b.data, from, a.bytes < b.bytes ? a.bytes : b.bytes));
}

}  // namespace spillway
