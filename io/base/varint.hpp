// LEB128 varints, least significant group first: the integers of variable width in run and index files.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace spillway {

inline constexpr std::size_t kMaxVarintBytes = 10;

inline std::size_t varint_bytes(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) * 9 + 64) /
         64;  // equals (bits + 6) / 7 for up to 64 bits
}

// Writes varint_bytes(value) bytes at `to` and returns the byte after them. Requires: room for them.
inline std::uint8_t* write_varint(std::uint8_t* to, std::uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<std::uint8_t>(value);
  return to;
}

// Reads one varint from [*from, end) and moves *from past it. Returns false if the bytes end inside the varint or its
// value does not fit 64 bits; *from is then unspecified.
inline bool read_varint(const std::uint8_t** from, const std::uint8_t* end, std::uint64_t* value) {
  const std::uint8_t* p = *from;
  if (p != end && *p < 0x80) {
    *value = *p;
    *from = p + 1;
    return true;
  }
  std::uint64_t result = 0;
  for (unsigned shift = 0; p != end && shift < 64; shift += 7) {
    const std::uint64_t byte = *p++;
    if (shift == 63 && byte > 1) return false;
    result |= (byte & 0x7F) << shift;
    if (byte < 0x80) {
      *value = result;
      *from = p;
      return true;
    }
  }
  return false;
}

}  // namespace spillway
