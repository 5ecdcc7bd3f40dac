// What the string merge sort compares instead of strings: seven bytes of a string from some depth on, with how many of
// them are known and whether the string ends behind them, in one integer. Step logic: runs on the GPU and on the CPU.
#pragma once

#include "sort/gpu/string_words.hpp"

namespace spillway {

// Bits 8 to 63: bytes, the first one highest, zeros where unknown. Bits 0 to 2: how many are known. kKeyGoesOn: the
// string does not end behind them.
using PrefixKey = std::uint64_t;
inline constexpr std::uint32_t kKeyBytes = 7;
inline constexpr PrefixKey kKeyKnown = 7, kKeyGoesOn = 8;
// Free for the key's owner; keys are compared and moved on without a look at it.
inline constexpr PrefixKey kKeyMark = 16;

SPILLWAY_HOST_DEVICE inline std::uint32_t known_bytes(PrefixKey key) {
  return static_cast<std::uint32_t>(key & kKeyKnown);
}

// A whole key: it knows kKeyBytes, or all that the string has.
SPILLWAY_HOST_DEVICE inline PrefixKey load_key(const DeviceString& string, std::uint32_t depth) {
  const std::uint32_t left = string.bytes - depth;
  const std::uint64_t bytes = load_big_endian(string.data + depth, left) & ~std::uint64_t{0xFF};
  return left <= kKeyBytes ? bytes | left : bytes | kKeyBytes | kKeyGoesOn;
}

// The key `bytes` further on. Requires: so many are known.
SPILLWAY_HOST_DEVICE inline PrefixKey advance_key(PrefixKey key, std::uint32_t bytes) {
  return (key & ~PrefixKey{0xFF}) << (8 * bytes) | ((key & 0xFF) - bytes);
}

// Whether the key `bytes` further on says at least something.
SPILLWAY_HOST_DEVICE inline bool can_advance_key(PrefixKey key, std::uint32_t bytes) {
  return bytes < known_bytes(key) || (bytes == known_bytes(key) && (key & kKeyGoesOn) == 0);
}

// Of two strings, by keys at one depth: the bytes behind it that they are known to share, and, where that settles it,
// which comes first. Equal strings leave a in front.
struct KeyOrder {
  std::uint32_t shared;
  bool is_settled, is_b_first;
};

SPILLWAY_HOST_DEVICE inline std::uint32_t least_known(PrefixKey a, PrefixKey b) {
  return known_bytes(a) < known_bytes(b) ? known_bytes(a) : known_bytes(b);
}

SPILLWAY_HOST_DEVICE inline KeyOrder compare_keys(PrefixKey a, PrefixKey b) {
  const std::uint32_t least = least_known(a, b), shared = leading_zeros((a ^ b) | 0xFF) / 8;
  if (shared < least) return {shared, true, b < a};
  if (known_bytes(a) == least && (a & kKeyGoesOn) == 0) return {least, true, false};
  if (known_bytes(b) == least && (b & kKeyGoesOn) == 0) return {least, true, true};
  return {least, false, false};
}

// The same for whole, unmarked keys: they are in order as numbers, because zeros stand behind the end of a string and
// one that ends has the smaller number of two with equal bytes.
SPILLWAY_HOST_DEVICE inline KeyOrder compare_whole_keys(PrefixKey a, PrefixKey b) {
  const std::uint32_t least = least_known(a, b), shared = leading_zeros((a ^ b) | 0xFF) / 8;
  return {shared < least ? shared : least, a != b || (a & kKeyGoesOn) == 0, b < a};
}

}  // namespace spillway
