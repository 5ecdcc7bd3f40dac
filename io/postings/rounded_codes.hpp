// Codes of one byte for the bounds of postings blocks: lengths rounded down, frequencies rounded up. constexpr, so that
// kernels can call them too.
#pragma once

#include <cstdint>
#include <limits>

namespace spillway {

namespace rounded_codes {

// Codes 0 to 31 are exact. Each higher power of two has 8 codes, for the three bits below its leading bit. The last
// code is 247.
inline constexpr std::uint32_t kExactCodes = 32;
inline constexpr unsigned kExactBits = 5;
inline constexpr std::uint8_t kLastCode = kExactCodes + (31 - kExactBits) * 8 + 7;

// The number of the highest set bit. Requires: value != 0.
constexpr unsigned highest_bit(std::uint32_t value) {
  unsigned bit = 0;
  for (unsigned step = 16; step != 0; step /= 2) {
    if (value >> step == 0) continue;
    value >>= step;
    bit += step;
  }
  return bit;
}

}  // namespace rounded_codes

// Encodes a document length in one byte, rounded down: a bound that holds for every k1, b and mean length. Exact below
// 32, four significant bits above; monotone. length_of_code(length_code(n)) <= n.
constexpr std::uint8_t length_code(std::uint32_t length) {
  using namespace rounded_codes;
  if (length < kExactCodes) return static_cast<std::uint8_t>(length);
  const unsigned exponent = highest_bit(length);
  return static_cast<std::uint8_t>(kExactCodes + (exponent - kExactBits) * 8 + (length >> (exponent - 3) & 7));
}

constexpr std::uint32_t length_of_code(std::uint8_t code) {
  using namespace rounded_codes;
  if (code < kExactCodes) return code;
  const unsigned step = (code < kLastCode ? code : kLastCode) - kExactCodes;
  return (8u + step % 8) << (step / 8 + kExactBits - 3);
}

// Encodes a frequency on the same scale, rounded up: frequency_of_code(frequency_code(n)) >= n.
constexpr std::uint8_t frequency_code(std::uint32_t frequency) {
  const std::uint8_t code = length_code(frequency);
  return length_of_code(code) == frequency ? code : static_cast<std::uint8_t>(code + 1);
}

constexpr std::uint32_t frequency_of_code(std::uint8_t code) {
  return code > rounded_codes::kLastCode ? std::numeric_limits<std::uint32_t>::max() : length_of_code(code);
}

}  // namespace spillway
