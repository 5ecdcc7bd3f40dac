// Views, comparisons and copies of short byte strings: terms, ids and the fields of run entries. byte_prefix is what
// merges and sorters compare before they look at the rest of a string.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace spillway {

inline std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Prefetches the first cache lines of a list: most lists are short, and the processor's prefetcher finds the rest.
//
// Functions that only prefetch must be inlined always: GCC takes them for functions without effect, and drops their
// calls.
[[gnu::always_inline]] inline void prefetch_bytes(std::span<const std::uint8_t> list) {
  constexpr std::size_t kLineBytes = 64, kMostBytes = 6 * kLineBytes;
  if (list.empty()) return;
  const std::uint8_t* const end = list.data() + std::min(list.size(), kMostBytes);
  for (const std::uint8_t* at = list.data(); at < end; at += kLineBytes) __builtin_prefetch(at);
  __builtin_prefetch(end - 1);
}

// The first 8 bytes, big-endian, so that prefixes order as the strings do; zeros after the end of a shorter text.
inline std::uint64_t byte_prefix(std::string_view text) {
  const auto load = [&]<typename T>(std::size_t at, T value) {
    std::memcpy(&value, text.data() + at, sizeof value);
    return std::uint64_t{value};
  };
  const std::size_t size = text.size();
  std::uint64_t prefix = 0;
  if (size >= 8) {
    prefix = load(0, std::uint64_t{});
  } else if (size >= 4) {
    prefix = load(0, std::uint32_t{}) | load(size - 4, std::uint32_t{}) << (8 * (size - 4));
  } else if (size != 0) {
    prefix = load(0, std::uint8_t{}) | load(size / 2, std::uint8_t{}) << (8 * (size / 2)) |
             load(size - 1, std::uint8_t{}) << (8 * (size - 1));
  }
  return __builtin_bswap64(prefix);
}

// Returns the length of the common prefix.
inline std::size_t shared_bytes(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t i = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (std::uint64_t of_a = 0, of_b = 0; i + sizeof of_a <= most; i += sizeof of_a) {
      std::memcpy(&of_a, a.data() + i, sizeof of_a);
      std::memcpy(&of_b, b.data() + i, sizeof of_b);
      if (of_a != of_b) return i + static_cast<std::size_t>(std::countr_zero(of_a ^ of_b)) / 8;
    }
  }
  while (i != most && a[i] == b[i]) ++i;
  return i;
}

// Copies `bytes` to `to`, faster than a call to memcpy for up to 16 bytes, and returns the end of the copy. Requires:
// room at `to`, and no overlap.
inline std::uint8_t* copy_bytes(std::span<const std::uint8_t> bytes, std::uint8_t* to) {
  const std::uint8_t* const from = bytes.data();
  const std::size_t size = bytes.size();
  const auto copy_ends = [&]<typename T>(T first, T last) {
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + size - sizeof last, sizeof last);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + size - sizeof last, &last, sizeof last);
  };
  if (size > 16) {
    std::memcpy(to, from, size);
  } else if (size >= 8) {
    copy_ends(std::uint64_t{}, std::uint64_t{});
  } else if (size >= 4) {
    copy_ends(std::uint32_t{}, std::uint32_t{});
  } else {
    for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
  }
  return to + size;
}

}  // namespace spillway
