// Packs bytes of strings as digits of a number. Only byte values that occur get a digit, so that a key of 32 or 64 bits
// holds as many bytes as the alphabet allows (nine letters of DNA in 21 bits). Digit 0 is the end of a string: a prefix
// comes before its continuations, and NUL is a byte like any other. Step logic of gpu-string-radix.
#pragma once

#include <cstdint>

#include "sort/gpu/string/words.hpp"

namespace spillway {

// Digits 1 to base - 1 of the byte values that occur, in their order.
struct StringDigits {
  std::uint32_t base;
  std::uint16_t digit_of[256];
};

// `used`: bit b % 32 of word b / 32 is set if byte value b occurs.
inline StringDigits make_string_digits(const std::uint32_t (&used)[8]) {
  StringDigits digits{1, {}};
  for (unsigned byte = 0; byte < 256; ++byte) {
    if ((used[byte / 32] >> (byte % 32) & 1) != 0) digits.digit_of[byte] = static_cast<std::uint16_t>(digits.base++);
  }
  return digits;
}

// The shape of a key: its digits, and all its bits. The lowest bit tells whether the string has more bytes; keys that
// hold every string completely have no such bit.
struct DigitKey {
  std::uint32_t digits = 0;
  std::uint32_t bits = 0;
  std::uint32_t goes_on_bits = 0;
  SPILLWAY_HOST_DEVICE bool is_whole() const { return goes_on_bits == 0; }
};
inline DigitKey digits_within(std::uint32_t base, std::uint32_t bits, std::uint64_t most_digits) {
  const std::uint64_t largest = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  DigitKey key;
  std::uint64_t maximum = 0;  // base^digits - 1
  while (key.digits < most_digits && maximum <= (largest - (base - 1)) / base) {
    maximum = maximum * base + (base - 1);
    ++key.digits;
  }
  key.bits = static_cast<std::uint32_t>(64 - leading_zeros(maximum));
  return key;
}
// Returns a key of at most `bits` bits for the rest of strings, up to `longest` bytes. Requires: base >= 2, longest >
// 0.
inline DigitKey shape_key(std::uint32_t base, std::uint32_t bits, std::uint32_t longest) {
  const DigitKey whole = digits_within(base, bits, longest);
  if (whole.digits == longest) return whole;
  const DigitKey part = digits_within(base, bits - 1, longest);
  return {part.digits, part.bits + 1, 1};
}

template <typename Key>
SPILLWAY_HOST_DEVICE inline Key pack_digits(const DeviceString& string, std::uint32_t from, const UnalignedWord& word,
                                            const StringDigits& alphabet, const DigitKey& shape) {
  const std::uint8_t* at = string.data + from;
  std::uint32_t left = string.bytes - from;
  std::uint64_t bytes = big_endian(word, at, left);
  const Key goes_on = left > shape.digits ? 1 : 0;
  Key packed = 0;
  for (std::uint32_t done = 0; done < shape.digits; done += 8) {
    if (done > 0) bytes = load_big_endian(at + done, left);
    for (std::uint32_t i = 0; i < 8; ++i) {  // unrolled by the compiler
      if (done + i >= shape.digits) break;
      const std::uint32_t digit = i < left ? alphabet.digit_of[bytes >> (56 - 8 * i) & 255] : 0;
      packed = static_cast<Key>(packed * alphabet.base + digit);
    }
    left -= left < 8 ? left : 8;
  }
  return static_cast<Key>(packed << shape.goes_on_bits) | goes_on;
}

template <typename Key>
SPILLWAY_HOST_DEVICE inline Key pack_digits(const DeviceString& string, std::uint32_t from,
                                            const StringDigits& alphabet, const DigitKey& shape) {
  const UnalignedWord word = load_unaligned(string.data + from, string.bytes - from);
  return pack_digits<Key>(string, from, word, alphabet, shape);
}

}  // namespace spillway
