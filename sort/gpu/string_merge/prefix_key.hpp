// The keys that gpu-string-merge compares instead of strings: integers ordered as the strings are, as far as they
// reach. A key holds the bytes from some depth on, as many as fit, their number, and whether the string goes on after
// them. In later rounds, which sort groups of strings with equal keys, the group and the string's relation to the
// group's pivot come first. Step logic, compiled for the host too.
#pragma once

#include "sort/gpu/string/words.hpp"

namespace spillway {

// From the highest bit: group, relation to the pivot, symbols of the bytes (the first one highest, 0 where missing).
// Bits 0 to 4: the number of bytes. kKeyGoesOn: the string has more bytes. Strings with the same key without kKeyGoesOn
// are equal. No key is all ones.
using PrefixKey = std::uint64_t;
inline constexpr PrefixKey kKeyKnown = 31, kKeyGoesOn = 32;

// The alphabet of a set: the byte values that occur, numbered in order with `bits` bits each. A key holds seven bytes
// of any alphabet, and eleven of one with up to 32 values.
struct KeyAlphabet {
  const std::uint8_t* symbol_of;  // 256 entries
  std::uint32_t bits;             // 1 to 6, or 8: the bytes themselves
  std::uint32_t inverse;          // 2^16 / bits rounded up, to avoid a division

  SPILLWAY_HOST_DEVICE KeyAlphabet(const std::uint8_t* symbols, std::uint32_t symbol_bits)
      : symbol_of(symbols), bits(symbol_bits), inverse(0xFFFF / symbol_bits + 1) {}
  // Returns how many symbols fit into `key_bits` <= 56 bits.
  SPILLWAY_HOST_DEVICE std::uint32_t symbols_in(std::uint32_t key_bits) const { return key_bits * inverse >> 16; }
  // Returns the most bytes of a key with `bits_in_front` bits before them.
  SPILLWAY_HOST_DEVICE std::uint32_t key_bytes(std::uint32_t bits_in_front) const {
    const std::uint32_t most = symbols_in(56 - bits_in_front);
    return most < kKeyKnown ? most : static_cast<std::uint32_t>(kKeyKnown);
  }
};
// Returns the bits of a symbol in an alphabet of `values` byte values.
SPILLWAY_HOST_DEVICE constexpr std::uint32_t symbol_bits(std::uint32_t values) {
  if (values > 64) return 8;
  std::uint32_t bits = 1;
  while (values > 1u << bits) ++bits;
  return bits;
}

// The numbers that a KeyAlphabet refers to. `used`: bit b % 32 of word b / 32 is set if byte value b occurs.
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

// Returns the key of the string from byte `depth` on, with `bits_in_front` zeros above. `first_word`: load_unaligned()
// of the bytes there.
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

// A string's relation to the pivot of its group, whose strings share `depth` bytes, is a number: strings smaller than
// the pivot come first, by the number of bytes they share with it, ascending; then those equal to it; then the greater
// ones, by the bytes they share, descending. The key continues with the bytes where the string differs from the pivot.
// Most groups need few bytes: a round compares kMostOffset of them, so that their number takes few bits of the key.
// Strings that share them and go on, the pivot too, have one number, and their keys continue there.
// The next round compares such strings as a whole, so that a common prefix costs one round however long it is, and so
// does each halving of strings that are prefixes of each other.
enum class PivotReach : std::uint32_t { kStep, kWhole };
inline constexpr std::uint32_t kPlaceBits = 11, kWholePlaceBits = 33;
inline constexpr std::uint32_t kMostOffset = (1 << (kPlaceBits - 1)) - 2;

// The bits of the number.
SPILLWAY_HOST_DEVICE constexpr std::uint32_t place_bits(PivotReach reach) {
  return reach == PivotReach::kStep ? kPlaceBits : kWholePlaceBits;
}
// The number of the pivot. Those of strings that share fewer bytes are as far from it as this number is from theirs.
SPILLWAY_HOST_DEVICE constexpr std::uint64_t pivot_number(PivotReach reach) {
  return (std::uint64_t{1} << (place_bits(reach) - 1)) - 1;
}

// Says what is known of the strings of a group: the bytes that they share, and how far the next round compares them.
struct GroupDepth {
  std::uint32_t depth;
  PivotReach reach;
};

// A string and the pivot of its group, which is at least GroupDepth::depth long too. Requires for kWhole: depth > 0.
struct PivotPair {
  DeviceString string, pivot;
  GroupDepth group;

  SPILLWAY_HOST_DEVICE bool is_pivot() const { return string.data == pivot.data && string.bytes == pivot.bytes; }
  SPILLWAY_HOST_DEVICE std::uint32_t least_bytes() const {
    return string.bytes < pivot.bytes ? string.bytes : pivot.bytes;
  }
  // Returns how many bytes of both are compared, with those that the group shares.
  SPILLWAY_HOST_DEVICE std::uint32_t compared_bytes() const {
    const std::uint64_t most = group.depth + (pivot_number(group.reach) - 1);
    return least_bytes() < most ? least_bytes() : static_cast<std::uint32_t>(most);
  }
  // Returns how many of these are equal.
  SPILLWAY_HOST_DEVICE std::uint32_t shared_bytes() const {
    if (is_pivot()) return compared_bytes();
    return static_cast<std::uint32_t>(shared_prefix(string.data, pivot.data, group.depth, compared_bytes()));
  }
};

// `shared`: pair.shared_bytes().
SPILLWAY_HOST_DEVICE inline PrefixKey pivot_key(const KeyAlphabet& alphabet, const PivotPair& pair,
                                                std::uint32_t shared, std::uint32_t bits_in_front) {
  const DeviceString &string = pair.string, &pivot = pair.pivot;
  const std::uint32_t bits = bits_in_front + place_bits(pair.group.reach);
  const std::uint64_t middle = pivot_number(pair.group.reach);
  if (shared == string.bytes && shared == pivot.bytes) return PrefixKey{middle} << (64 - bits);
  // Where both go on after all that is compared, the string counts as smaller, the pivot too.
  const bool goes_on = shared == pair.compared_bytes() && shared < pair.least_bytes();
  const bool is_before =
      goes_on || shared == string.bytes || (shared != pivot.bytes && string.data[shared] < pivot.data[shared]);
  const std::uint64_t offset = shared - pair.group.depth;
  const PrefixKey place = is_before ? offset : 2 * middle - offset;
  return place << (64 - bits) | load_key(alphabet, string, shared, bits);
}

// Returns what is known of the strings with this pivot key. Requires: the key goes on.
SPILLWAY_HOST_DEVICE inline GroupDepth depth_beside_pivot(PrefixKey key, std::uint32_t bits_in_front,
                                                          GroupDepth group) {
  const std::uint64_t place = key << bits_in_front >> (64 - place_bits(group.reach));
  const std::uint64_t middle = pivot_number(group.reach), offset = place < middle ? place : 2 * middle - place;
  const bool shares_all = group.reach == PivotReach::kStep && place == kMostOffset;
  return {group.depth + static_cast<std::uint32_t>(offset) + known_bytes(key),
          shares_all ? PivotReach::kWhole : PivotReach::kStep};
}

}  // namespace spillway
