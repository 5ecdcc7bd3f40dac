// Copies short byte strings by a few moves of constant size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

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

}  // namespace spillway
