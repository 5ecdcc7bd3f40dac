// The first 8 bytes of a string as an integer that orders as they do. Merges and sorters compare it before they look at
// the rest of a string.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace spillway {

// Big-endian; zeros after the end of a shorter text.
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

}  // namespace spillway
