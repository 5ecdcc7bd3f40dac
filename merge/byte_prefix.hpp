// The first bytes of a string as an integer that orders as they do: what merges compare before they look at the rest.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace spillway {

// The first 8 bytes, big-endian, zeros behind a shorter text's end.
inline std::uint64_t byte_prefix(std::string_view text) {
  std::uint64_t prefix = 0;
  if (text.size() >= sizeof prefix) {
    std::memcpy(&prefix, text.data(), sizeof prefix);
  } else if (!text.empty()) {
    std::memcpy(&prefix, text.data(), text.size());
  }
  return __builtin_bswap64(prefix);
}

}  // namespace spillway
