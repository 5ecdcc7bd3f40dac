// Sums that prove an array, taken of a chunk of tokens by its parser: whoever sorts the chunk proves with them that
// every word arrived, and at its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "sort/gpu/device/host_device.hpp"

namespace spillway {

// Arrays are summed in 8-byte little-endian words, with zeros behind them up to a multiple of so many bytes.
inline constexpr std::size_t kSummedBytes = 16;

// The halves of a word, changed by a key of its index, multiplied: as NH does (Black et al., UMAC, 1999), with the xor
// of XXH3 (Collet) and keys of a Weyl sequence.
inline constexpr std::uint64_t kWordKeyStep = 0x9E3779B97F4A7C15;
SPILLWAY_HOST_DEVICE constexpr std::uint64_t keyed_word(std::uint64_t word, std::uint64_t index) {
  const std::uint64_t changed = word ^ (index + 1) * kWordKeyStep;
  return (changed & 0xFFFFFFFF) * (changed >> 32);
}

// Damage inside of one word is seen for certain by the first sum. Any other, like words or stretches that change
// places, are zero, or stand for what was there before, passes where it keeps both sums by chance: that is 2^-64 for
// words as good as random, and of any two arrays 2^-32 over random keys.
struct TransferChecksum {
  std::uint64_t sum = 0;    // of words, mod 2^64
  std::uint64_t keyed = 0;  // of keyed_word()s, mod 2^64

  // Words of the same array.
  SPILLWAY_HOST_DEVICE constexpr TransferChecksum& operator+=(const TransferChecksum& other) {
    sum += other.sum;
    keyed += other.keyed;
    return *this;
  }
  // As a share of the sums over the arrays of all chunks of a block. Those of different chunks differ.
  SPILLWAY_HOST_DEVICE constexpr TransferChecksum of_chunk(std::uint64_t chunk) const {
    return {sum, (2 * chunk + 1) * keyed};
  }
  bool operator==(const TransferChecksum&) const = default;
};

// Of words [first, ...) of an array. Requires: another piece follows only behind a multiple of kSummedBytes.
TransferChecksum sum_words(std::span<const std::uint8_t> bytes, std::uint64_t first = 0);

inline std::span<const std::uint8_t> bytes_of(std::span<const std::uint32_t> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

// Of an array that grows: taken of what was added last, while that is in the L1 cache.
class GrowingChecksum {
 public:
  // The array so far, of which nothing will change.
  void follow(std::span<const std::uint8_t> array) {
    if (summed_ + kStepBytes <= array.size()) add(array.first(array.size() / kLineBytes * kLineBytes));
  }
  // Of the whole array; and begins the next.
  TransferChecksum take(std::span<const std::uint8_t> array) {
    add(array);
    return std::exchange(*this, {}).sums_;
  }

 private:
  static constexpr std::size_t kStepBytes = std::size_t{8} << 10, kLineBytes = 64;
  void add(std::span<const std::uint8_t> array) {
    sums_ += sum_words(array.subspan(summed_), summed_ / sizeof(std::uint64_t));
    summed_ = array.size();
  }

  TransferChecksum sums_;
  std::size_t summed_ = 0;  // bytes
};

// The ways to take them: each that this CPU can run, the portable one first. For tests and benchmarks.
struct WordSummer {
  const char* name;
  TransferChecksum (*sum)(std::span<const std::uint8_t> bytes, std::uint64_t first);
};
std::span<const WordSummer> all_word_summers();

}  // namespace spillway
