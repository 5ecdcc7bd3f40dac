// What the string merge sort compares instead of strings: the bytes of a string from some depth on, as many as fit,
// with how many of them are known and whether the string ends behind them, in one integer. Step logic: runs on the GPU
// and on the CPU.
#pragma once

#include "sort/gpu/string_words.hpp"

namespace spillway {

// Bits 8 to 63: symbols of bytes, the first one highest, zeros where unknown. Bits 0 to 4: how many are known.
// kKeyGoesOn: the string does not end behind them.
using PrefixKey = std::uint64_t;
inline constexpr PrefixKey kKeyKnown = 31, kKeyGoesOn = 32;
// Free for the key's owner; keys are compared and moved on without a look at it.
inline constexpr PrefixKey kKeyMark = 64;
inline constexpr PrefixKey kKeySymbols = ~PrefixKey{0xFF};

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
  // Bytes of a whole key.
  SPILLWAY_HOST_DEVICE std::uint32_t key_bytes() const {
    const std::uint32_t most = symbols_in(56);
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

// A whole key: it knows alphabet.key_bytes(), or all that the string has.
SPILLWAY_HOST_DEVICE inline PrefixKey load_key(const KeyAlphabet& alphabet, const DeviceString& string,
                                               std::uint32_t depth) {
  const std::uint8_t* const at = string.data + depth;
  const std::uint32_t left = string.bytes - depth, most = alphabet.key_bytes(), known = left < most ? left : most;
  const PrefixKey tail = known | (left > known ? kKeyGoesOn : 0);
  std::uint64_t word = load_big_endian(at, left);
  if (alphabet.bits == 8) return (word & kKeySymbols) | tail;
  if (known == 0) return 0;
  PrefixKey key = 0;
  for (std::uint32_t i = 0; i < known; ++i) {
    if (i % 8 == 0 && i > 0) word = load_big_endian(at + i, left - i);
    key = key << alphabet.bits | alphabet.symbol_of[word >> 56];
    word <<= 8;
  }
  return key << (64 - known * alphabet.bits) | tail;
}

// The key `bytes` further on. Requires: so many are known.
SPILLWAY_HOST_DEVICE inline PrefixKey advance_key(const KeyAlphabet& alphabet, PrefixKey key, std::uint32_t bytes) {
  return (key & kKeySymbols) << (alphabet.bits * bytes) | ((key & 0xFF) - bytes);
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

SPILLWAY_HOST_DEVICE inline KeyOrder compare_keys(const KeyAlphabet& alphabet, PrefixKey a, PrefixKey b) {
  const std::uint32_t least = least_known(a, b), shared = alphabet.symbols_in(leading_zeros((a ^ b) | 0xFF));
  if (shared < least) return {shared, true, b < a};
  if (known_bytes(a) == least && (a & kKeyGoesOn) == 0) return {least, true, false};
  if (known_bytes(b) == least && (b & kKeyGoesOn) == 0) return {least, true, true};
  return {least, false, false};
}

// The same for whole, unmarked keys: they are in order as numbers, because zeros stand behind the end of a string and
// one that ends has the smaller number of two with equal bytes.
SPILLWAY_HOST_DEVICE inline KeyOrder compare_whole_keys(const KeyAlphabet& alphabet, PrefixKey a, PrefixKey b) {
  const std::uint32_t least = least_known(a, b), shared = alphabet.symbols_in(leading_zeros((a ^ b) | 0xFF));
  return {shared < least ? shared : least, a != b || (a & kKeyGoesOn) == 0, b < a};
}

}  // namespace spillway
