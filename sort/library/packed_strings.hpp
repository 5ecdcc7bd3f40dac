// Strings of any bytes as lines whose order is theirs, so that the sort of lines serves them: a line ends with byte 0,
// and byte 1 stands between a key and its value. Bytes 0, 1 and 2 of a string become 2 and a byte that tells which, 3,
// 4 or 5. Text has none of them, and stays as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "io/base/byte_order.hpp"
#include "io/base/bytes.hpp"

namespace spillway {

inline constexpr std::uint8_t kPackedEnd = 0, kPackedValue = 1, kPackedEscape = 2;
inline constexpr std::size_t kPackedPadding = 8;

// Whether a byte of eight is 0, 1 or 2 (Mycroft's test).
inline bool has_reserved(std::uint64_t eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kTops = 0x8080808080808080;
  return ((eight - (kPackedEscape + 1) * kOnes) & ~eight & kTops) != 0;
}

// The same for any bytes. Requires: 8 bytes at `text` are readable, however few count.
inline bool has_reserved(const std::uint8_t* text, std::size_t bytes) {
  if (bytes < 8) return has_reserved(load_le<std::uint64_t>(text) | ~std::uint64_t{0} << (8 * bytes));
  bool found = has_reserved(load_le<std::uint64_t>(text + bytes - 8));
  for (std::size_t at = 0; at + 8 < bytes; at += 8) found |= has_reserved(load_le<std::uint64_t>(text + at));
  return found;
}

// Bytes of a string once it is packed.
std::size_t packed_bytes(std::string_view text);
// Packs byte by byte, and returns the end.
std::uint8_t* pack_escaped(std::string_view text, std::uint8_t* to);
// Replaces `out` by the string.
void unpack(std::string_view packed, std::string& out);

// Packs a string, and returns its end. Requires: room for twice its bytes, and kPackedPadding bytes after that.
inline std::uint8_t* pack(std::string_view text, std::uint8_t* to) {
  std::uint8_t* const end = copy_bytes(bytes_of(text), to);
  return has_reserved(to, text.size()) ? pack_escaped(text, to) : end;
}

}  // namespace spillway
