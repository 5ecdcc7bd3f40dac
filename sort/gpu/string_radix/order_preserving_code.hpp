// Keys of gpu-string-radix for strings that do not fit as digits: an order-preserving code, with which 31 bits hold
// more of a string the more predictable its bytes are (eight letters of a word instead of six, three times the text of
// a language in UTF-8). Arithmetic coding in the order of the alphabet, with the previous byte as context and counts
// from a sample; compare Zhang et al., "Order-Preserving Key Compression for In-Memory Search Trees", SIGMOD 2020,
// section 3. The sample decides how much a key holds, never the order. Step logic.
#pragma once

#include <cstdint>

#include "sort/gpu/string_radix/digits.hpp"

namespace spillway {

inline constexpr std::uint32_t kCodeBits = 31;  // of a code; one bit below them tells whether the string goes on
inline constexpr std::uint32_t kSampledStrings = 8192, kSampledBytes = 32;

// A digit's share of the interval of its context, in units of 2^-16: its begin in the upper 16 bits, its width in the
// lower ones. A table has `base` of them for each context, which is the previous digit, or 0 at the begin of a string.
using CodeInterval = std::uint32_t;
inline constexpr std::uint32_t kCodeUnits = 65535;

// The table of a base above 236 fits no multiprocessor's shared memory (many have less: the sorter asks its GPU), and a
// table is not worth its time for few strings. Coding pays where fewer than five digits fit into a key, and where few
// digits make most prefixes equal. On an H200, 10 M Russian words of base 105 took 2.1 ms instead of 3.2 and 10 M
// strings of base 10 1.5 instead of 2.4, but the codes of 100 M English words of base 40 took 3.0 ms instead of 1.0.
inline constexpr std::uint32_t kMaxCodeBase = 236, kMinDigitsBase = 16, kMaxDigitsBase = 73;
inline bool is_table_worthwhile(std::uint32_t base, std::uint32_t strings) {
  return (base < kMinDigitsBase || base > kMaxDigitsBase) && base <= kMaxCodeBase && base * base <= strings;
}
inline std::uint32_t max_code_intervals(std::uint32_t strings) {
  return strings < kMaxCodeBase * kMaxCodeBase ? strings : kMaxCodeBase * kMaxCodeBase;
}

// The least width of a digit, however rare: digits share an eighth of the units evenly.
SPILLWAY_HOST_DEVICE constexpr std::uint32_t least_code_width(std::uint32_t base) { return kCodeUnits / 8 / base; }
// Returns the width of a digit that occurred `count` times among `all` in its context.
SPILLWAY_HOST_DEVICE inline std::uint32_t code_width(std::uint32_t count, std::uint32_t all, std::uint32_t base) {
  if (all == 0) return kCodeUnits / base;
  const std::uint32_t least = least_code_width(base);
  return least + static_cast<std::uint32_t>(std::uint64_t{kCodeUnits - least * base} * count / all);
}
SPILLWAY_HOST_DEVICE inline CodeInterval make_code_interval(std::uint32_t begin, std::uint32_t width) {
  return begin << 16 | width;
}

// The code of a string's first bytes, and that of the following bytes. The lowest bit is 0 if the string ends in the
// code, so that strings with the same codes are equal, and 1 if it may go on. `second` is 0 if the string ends in
// `first`.
struct StringCodes {
  std::uint32_t first;
  std::uint32_t second;
};

// The shape of a code by a table. It has 0 digits, because strings of one code share an unknown number of bytes.
inline constexpr DigitKey kTableCode{0, kCodeBits + 1, 1};

// Returns codes that are digits. Requires: `shape` has kCodeBits + 1 bits.
SPILLWAY_HOST_DEVICE inline StringCodes code_digits(const DeviceString& string, const UnalignedWord& word,
                                                    const StringDigits& alphabet, const DigitKey& shape) {
  const auto first = pack_digits<std::uint32_t>(string, 0, word, alphabet, shape);
  if (string.bytes <= shape.digits) return {first, 0};
  return {first, pack_digits<std::uint32_t>(string, shape.digits, alphabet, shape)};
}

// Codes digits into an interval of 2^kCodeBits: each digit takes its share of the interval that the digits before left.
class StringCoder {
 public:
  // `context`: the previous digit.
  SPILLWAY_HOST_DEVICE StringCoder(std::uint32_t base, std::uint32_t context)
      : base_(base), least_room_(65536 / least_code_width(base) + 1), context_(context) {}

  // Returns whether every digit would still get an interval that is not empty.
  SPILLWAY_HOST_DEVICE bool has_room() const { return room_ >= least_room_; }
  SPILLWAY_HOST_DEVICE void put(std::uint32_t digit, const CodeInterval* intervals) {
    const CodeInterval interval = intervals[context_ * base_ + digit];
    low_ += high_product(room_, interval & 0xFFFF0000);
    room_ = high_product(room_, interval << 16);
    context_ = digit;
  }
  SPILLWAY_HOST_DEVICE std::uint32_t ended() const { return low_ << 1; }
  // Returns the code where `digit` no longer has an interval of its own; neighbouring digits may get the same code.
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

// Returns the codes of a string from byte `from` on, by a table. `word`: load_unaligned() there. Requires: base >= 2.
// O(bytes in two codes).
SPILLWAY_HOST_DEVICE inline StringCodes code_string(const DeviceString& string, std::uint32_t from,
                                                    const UnalignedWord& word, const StringDigits& alphabet,
                                                    const CodeInterval* intervals) {
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
      coder.put(digit, intervals);
      if (digit == 0) return is_first ? StringCodes{coder.ended(), 0} : StringCodes{first, coder.ended()};
    }
    at += 8;
    left -= 8;
    bytes = load_big_endian(at, left);
  }
}
SPILLWAY_HOST_DEVICE inline StringCodes code_string(const DeviceString& string, std::uint32_t from,
                                                    const StringDigits& alphabet, const CodeInterval* intervals) {
  return code_string(string, from, load_unaligned(string.data + from, string.bytes - from), alphabet, intervals);
}

}  // namespace spillway
