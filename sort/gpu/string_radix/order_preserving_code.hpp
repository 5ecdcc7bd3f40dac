// Keys of gpu-string-radix where strings are longer than the digits that fit: an order-preserving code, so that 31 bits
// hold as much of a string as its bytes are predictable (eight letters of a word instead of six, three times the text
// of a language in UTF-8). Arithmetic coding in the order of the alphabet with the byte before as context, from counts
// of a sample; compare Zhang et al., "Order-Preserving Key Compression for In-Memory Search Trees", SIGMOD 2020,
// section 3. The sample decides how much a key holds, never the order.
#pragma once

#include <cstdint>

#include "sort/gpu/string_radix/digits.hpp"

namespace spillway {

inline constexpr std::uint32_t kCodeBits = 31;  // and one below them: whether the string goes on
inline constexpr std::uint32_t kSampledStrings = 8192, kSampledBytes = 32;

// A digit's part of what its context has, in 2^-16: its begin above, its width below. A table has `base` parts for each
// context, which is the digit before; 0 at the begin of a string.
using CodePart = std::uint32_t;
inline constexpr std::uint32_t kCodeUnits = 65535;

// Tables of larger alphabets fit into no multiprocessor's shared memory (many have less: the sorter asks its GPU);
// those of few strings are not worth it. The time of coding pays where five digits or more do not fit, and where digits
// are few and so often alike. On an H200 10 M Russian words of base 105 took 2.1 ms instead of 3.2 and 10 M strings of
// base 10 1.5 instead of 2.4, but 100 M English words, of base 40, 3.0 for the codes alone instead of 1.
inline constexpr std::uint32_t kMostCodeBase = 236, kLeastDigitsBase = 16, kMostDigitsBase = 73;
inline bool is_table_worthwhile(std::uint32_t base, std::uint32_t strings) {
  return (base < kLeastDigitsBase || base > kMostDigitsBase) && base <= kMostCodeBase && base * base <= strings;
}
inline std::uint32_t most_code_parts(std::uint32_t strings) {
  return strings < kMostCodeBase * kMostCodeBase ? strings : kMostCodeBase * kMostCodeBase;
}

// What every digit has, however rare: an eighth is divided evenly.
SPILLWAY_HOST_DEVICE constexpr std::uint32_t least_code_width(std::uint32_t base) { return kCodeUnits / 8 / base; }
// The width of a digit that came `count` times of `all` in its context.
SPILLWAY_HOST_DEVICE inline std::uint32_t code_width(std::uint32_t count, std::uint32_t all, std::uint32_t base) {
  if (all == 0) return kCodeUnits / base;
  const std::uint32_t least = least_code_width(base);
  return least + static_cast<std::uint32_t>(std::uint64_t{kCodeUnits - least * base} * count / all);
}
SPILLWAY_HOST_DEVICE inline CodePart make_code_part(std::uint32_t begin, std::uint32_t width) {
  return begin << 16 | width;
}

// A string's begin, and what follows it. Below the bits of a code: 0 if the string ends in it, so that strings of the
// same codes up to this one are equal; 1 if it may go on. Those whose first code ended have 0 as second one.
struct StringCodes {
  std::uint32_t first;
  std::uint32_t second;
};

// The shape of a code by a table: strings of one code share no known number of bytes.
inline constexpr DigitKey kTableCode{0, kCodeBits + 1, 1};

// By digits; `shape` is of kCodeBits + 1 bits.
SPILLWAY_HOST_DEVICE inline StringCodes code_digits(const DeviceString& string, const UnalignedWord& word,
                                                    const StringDigits& alphabet, const DigitKey& shape) {
  const auto first = pack_digits<std::uint32_t>(string, 0, word, alphabet, shape);
  if (string.bytes <= shape.digits) return {first, 0};
  return {first, pack_digits<std::uint32_t>(string, shape.digits, alphabet, shape)};
}

// Codes digit after digit into an interval of 2^kCodeBits: each takes its part of the room that the digits before left.
class StringCoder {
 public:
  // `context`: the digit before.
  SPILLWAY_HOST_DEVICE StringCoder(std::uint32_t base, std::uint32_t context)
      : base_(base), least_room_(65536 / least_code_width(base) + 1), context_(context) {}

  // Whether the narrowest digit still gets something.
  SPILLWAY_HOST_DEVICE bool has_room() const { return room_ >= least_room_; }
  SPILLWAY_HOST_DEVICE void put(std::uint32_t digit, const CodePart* parts) {
    const CodePart part = parts[context_ * base_ + digit];
    low_ += high_product(room_, part & 0xFFFF0000);
    room_ = high_product(room_, part << 16);
    context_ = digit;
  }
  SPILLWAY_HOST_DEVICE std::uint32_t ended() const { return low_ << 1; }
  // The code before a digit that has no room of its own: it may share what is left with its neighbours.
  SPILLWAY_HOST_DEVICE std::uint32_t before(std::uint32_t digit) const {
    return digit == 0 ? ended() : (low_ + (digit - 1) * room_ / (base_ - 1)) << 1 | 1;
  }
  SPILLWAY_HOST_DEVICE void begin_next() {
    low_ = 0;
    room_ = std::uint32_t{1} << kCodeBits;
  }

 private:
  SPILLWAY_HOST_DEVICE static std::uint32_t high_product(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
  }

  std::uint32_t base_, least_room_, context_;
  std::uint32_t low_ = 0, room_ = std::uint32_t{1} << kCodeBits;
};

// Codes of a string from byte `from` on, by a table. `word` is what load_unaligned() finds there. Requires base >= 2.
SPILLWAY_HOST_DEVICE inline StringCodes code_string(const DeviceString& string, std::uint32_t from,
                                                    const UnalignedWord& word, const StringDigits& alphabet,
                                                    const CodePart* parts) {
  StringCoder coder(alphabet.base, from == 0 ? 0 : alphabet.digit_of[string.data[from - 1]]);
  const std::uint8_t* at = string.data + from;
  std::uint32_t first = 0, left = string.bytes - from;
  bool is_first = true;
  std::uint64_t bytes = big_endian(word, at, left);
  while (true) {
    SPILLWAY_UNROLL
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t digit = i < left ? alphabet.digit_of[bytes >> (56 - 8 * i) & 255] : 0;
      if (!coder.has_room()) {
        const std::uint32_t code = coder.before(digit);
        if (!is_first) return {first, code};
        first = code;
        if (digit == 0) return {first, 0};
        is_first = false;
        coder.begin_next();
      }
      coder.put(digit, parts);
      if (digit == 0) return is_first ? StringCodes{coder.ended(), 0} : StringCodes{first, coder.ended()};
    }
    at += 8;
    left -= 8;
    bytes = load_big_endian(at, left);
  }
}
SPILLWAY_HOST_DEVICE inline StringCodes code_string(const DeviceString& string, std::uint32_t from,
                                                    const StringDigits& alphabet, const CodePart* parts) {
  return code_string(string, from, load_unaligned(string.data + from, string.bytes - from), alphabet, parts);
}

}  // namespace spillway
