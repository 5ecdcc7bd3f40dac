// The keys that the string merge sort compares instead of strings: integers whose order is that of the strings as far
// as they tell it. A key holds the bytes from some depth on, as many as fit, how many these are and whether the string
// ends behind them; in front of them, where a group of strings with equal keys is sorted further, the group and where
// the string stands in relation to the group's pivot. Step logic: runs on the GPU and on the CPU.
#pragma once

#include "sort/gpu/string/words.hpp"

namespace spillway {

// From the highest bit: group, place, symbols of bytes (the first one highest, zeros where unknown). Bits 0 to 4: how
// many are known. kKeyGoesOn: the string does not end behind them. Strings of one group and key without it are equal.
// No key is all ones.
using PrefixKey = std::uint64_t;
inline constexpr PrefixKey kKeyKnown = 31, kKeyGoesOn = 32;

// The symbols of a set's bytes: numbers in the order of the byte values that occur, all of `bits` bits. Seven bytes of
// any kind fit into a key, and eleven of up to 32 kinds.
struct KeyAlphabet {
  const std::uint8_t* symbol_of;  // 256
  std::uint32_t bits;             // 1 to 6, or 8: bytes as they are
  std::uint32_t inverse;          // 2^16 / bits, rounded up: replaces a division

  SPILLWAY_HOST_DEVICE KeyAlphabet(const std::uint8_t* symbols, std::uint32_t symbol_bits)
      : symbol_of(symbols), bits(symbol_bits), inverse(0xFFFF / symbol_bits + 1) {}
  // In so many bits, 56 at most.
  SPILLWAY_HOST_DEVICE std::uint32_t symbols_in(std::uint32_t key_bits) const { return key_bits * inverse >> 16; }
  // Bytes that a key with so many bits in front of them has at most.
  SPILLWAY_HOST_DEVICE std::uint32_t key_bytes(std::uint32_t bits_in_front) const {
    const std::uint32_t most = symbols_in(56 - bits_in_front);
    return most < kKeyKnown ? most : static_cast<std::uint32_t>(kKeyKnown);
  }
};
// Bits of a symbol where so many byte values occur.
SPILLWAY_HOST_DEVICE constexpr std::uint32_t symbol_bits(std::uint32_t values) {
  if (values > 64) return 8;
  std::uint32_t bits = 1;
  while (values > 1u << bits) ++bits;
  return bits;
}

// What an alphabet views. `used`: bit b % 32 of word b / 32 is set if byte value b occurs.
struct KeySymbols {
  std::uint32_t bits;
  std::uint8_t symbol_of[256];
};
inline KeySymbols make_key_symbols(const std::uint32_t (&used)[8]) {
  KeySymbols symbols{};
  std::uint32_t values = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    if ((used[byte / 32] >> (byte % 32) & 1) != 0) symbols.symbol_of[byte] = static_cast<std::uint8_t>(values++);
  }
  symbols.bits = symbol_bits(values);
  return symbols;
}

SPILLWAY_HOST_DEVICE inline std::uint32_t known_bytes(PrefixKey key) {
  return static_cast<std::uint32_t>(key & kKeyKnown);
}

// The key of the string from `depth` on, behind so many zeros. `first_word` is what load_unaligned() finds there.
SPILLWAY_HOST_DEVICE inline PrefixKey load_key(const KeyAlphabet& alphabet, const DeviceString& string,
                                               std::uint32_t depth, std::uint32_t bits_in_front,
                                               const UnalignedWord& first_word) {
  const std::uint8_t* const at = string.data + depth;
  const std::uint32_t left = string.bytes - depth, most = alphabet.key_bytes(bits_in_front);
  const std::uint32_t known = left < most ? left : most;
  if (known == 0) return left > 0 ? kKeyGoesOn : 0;
  const PrefixKey tail = known | (left > known ? kKeyGoesOn : 0);
  if (alphabet.bits == 8) return big_endian(first_word, at, known) >> bits_in_front | tail;
  std::uint64_t word = big_endian(first_word, at, left);
  PrefixKey key = 0;
  for (std::uint32_t i = 0; i < known; ++i) {
    if (i % 8 == 0 && i > 0) word = load_big_endian(at + i, left - i);
    key = key << alphabet.bits | alphabet.symbol_of[word >> 56];
    word <<= 8;
  }
  return key << (64 - bits_in_front - known * alphabet.bits) | tail;
}

SPILLWAY_HOST_DEVICE inline PrefixKey load_key(const KeyAlphabet& alphabet, const DeviceString& string,
                                               std::uint32_t depth, std::uint32_t bits_in_front) {
  return load_key(alphabet, string, depth, bits_in_front, load_unaligned(string.data + depth, string.bytes - depth));
}

// Strings of a group, which share `depth` bytes, in relation to one of them, the pivot: those before it come first, the
// sooner they differ from it the sooner, then those that equal it, then the others, the sooner the later. A string's
// key continues where it differs from the pivot, or kMostOffset bytes behind `depth`.
inline constexpr std::uint32_t kPlaceBits = 11, kMostOffset = (1 << (kPlaceBits - 1)) - 2;
inline constexpr std::uint32_t kPivotPlace = kMostOffset + 1;

SPILLWAY_HOST_DEVICE inline PrefixKey pivot_key(const KeyAlphabet& alphabet, const DeviceString& string,
                                                const DeviceString& pivot, std::uint32_t depth,
                                                std::uint32_t bits_in_front) {
  const auto at_place = [bits_in_front](std::uint32_t place) {
    return PrefixKey{place} << (64 - kPlaceBits - bits_in_front);
  };
  if (string.data == pivot.data && string.bytes == pivot.bytes) return at_place(kPivotPlace);
  const std::uint32_t shared = shared_prefix(string, pivot, depth);
  if (shared == string.bytes && shared == pivot.bytes) return at_place(kPivotPlace);
  const bool is_before = shared == string.bytes || (shared != pivot.bytes && string.data[shared] < pivot.data[shared]);
  const std::uint32_t offset = shared - depth < kMostOffset ? shared - depth : kMostOffset;
  const std::uint32_t place = is_before ? offset : 2 * kPivotPlace - offset;
  return at_place(place) | load_key(alphabet, string, depth + offset, bits_in_front + kPlaceBits);
}

// Bytes behind `depth` that the strings of one such key share. Requires: the key goes on.
SPILLWAY_HOST_DEVICE inline std::uint32_t known_beside_pivot(PrefixKey key, std::uint32_t bits_in_front) {
  const auto place = static_cast<std::uint32_t>(key << bits_in_front >> (64 - kPlaceBits));
  return (place < kPivotPlace ? place : 2 * kPivotPlace - place) + known_bytes(key);
}

}  // namespace spillway
