// Copies and compares short byte strings by a few moves of constant size, which are seldom mispredicted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "io/base/vector_intrinsics.hpp"

namespace spillway {

inline constexpr std::size_t kCopyPadding = 128;

// Copies `bytes` bytes and returns the end of the copy. Requires: kCopyPadding bytes after both are readable, and
// writable after the copy, where they become unspecified.
inline std::uint8_t* copy_padded(const std::uint8_t* from, std::size_t bytes, std::uint8_t* to) {
  if (bytes <= 32) {
    std::memcpy(to, from, 32);
  } else if (bytes <= 64) {
    std::memcpy(to, from, 32);
    std::memcpy(to + bytes - 32, from + bytes - 32, 32);
  } else if (bytes <= 128) {
    std::memcpy(to, from, 64);
    std::memcpy(to + bytes - 64, from + bytes - 64, 64);
  } else {
    std::memcpy(to, from, bytes);
  }
  return to + bytes;
}

// Loads a byte, so that its cache line is there soon. Processors may drop a prefetch whose page is in no translation
// buffer, so calls for many places, one after the other, bring more than prefetches do.
inline void load_early(const std::uint8_t* from) {
  std::uint8_t loaded;
  asm volatile("movb %1, %0" : "=q"(loaded) : "m"(*from));
}

// Returns the length of the common prefix. Requires: kCopyPadding bytes after both are readable.
inline std::size_t shared_padded_bytes(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  const auto same = [&](std::size_t at) {
    const auto load = [at](std::string_view from) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from.data() + at));
    };
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(load(a), load(b))));
  };
  for (std::size_t at = 0; at < most; at += 32) {
    const std::uint32_t differ = ~(same(at) | same(at + 16) << 16);
    if (differ != 0) return std::min(most, at + static_cast<std::size_t>(std::countr_zero(differ)));
  }
  return most;
}

}  // namespace spillway
