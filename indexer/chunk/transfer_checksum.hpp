// Checksums of the arrays of a chunk of tokens, taken by its parser. The sorter of the chunk proves with them that
// every 8-byte word arrived at its place. O(bytes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "sort/gpu/device/host_device.hpp"

namespace spillway {

// Arrays are summed in 8-byte little-endian words, padded with zeros to a multiple of 16 bytes.
inline constexpr std::size_t kSummedBytes = 16;

// Multiplies the halves of a word after a key of its index was applied: as NH does (Black et al., UMAC, 1999), with the
// xor of XXH3 (Collet) and keys of a Weyl sequence.
inline constexpr std::uint64_t kWordKeyStep = 0x9E3779B97F4A7C15;
SPILLWAY_HOST_DEVICE constexpr std::uint64_t keyed_word(std::uint64_t word, std::uint64_t index) {
  const std::uint64_t changed = word ^ (index + 1) * kWordKeyStep;
  return (changed & 0xFFFFFFFF) * (changed >> 32);
}

// `sum` detects any damage within one word. Other damage, such as words that change places, are zero or are stale,
// passes only if it keeps both sums by chance: with probability 2^-64 for words as good as random, and 2^-32 for any
// two arrays over random keys.
struct TransferChecksum {
  std::uint64_t sum = 0;    // of words, mod 2^64
  std::uint64_t keyed = 0;  // of keyed_word()s, mod 2^64

  // Adds other words of the same array.
  SPILLWAY_HOST_DEVICE constexpr TransferChecksum& operator+=(const TransferChecksum& other) {
    sum += other.sum;
    keyed += other.keyed;
    return *this;
  }
  // Returns the chunk's share of a checksum over the arrays of all chunks of a block. It depends on the chunk's number,
  // so that exchanged chunks are detected.
  SPILLWAY_HOST_DEVICE constexpr TransferChecksum of_chunk(std::uint64_t chunk) const {
    return {sum, (2 * chunk + 1) * keyed};
  }
  bool operator==(const TransferChecksum&) const = default;
};

// Returns the checksum of an array's words from number `first` on. Requires: `bytes` ends at the array's end or at a
// multiple of kSummedBytes.
TransferChecksum sum_words(std::span<const std::uint8_t> bytes, std::uint64_t first = 0);

inline std::span<const std::uint8_t> bytes_of(std::span<const std::uint32_t> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

// The checksum of an array that grows: takes in new words while they are in the L1 cache.
class GrowingChecksum {
 public:
  // `array`: the whole array so far. Requires: none of it changes any more.
  void follow(std::span<const std::uint8_t> array) {
    if (summed_ + kStepBytes <= array.size()) add(array.first(array.size() / kLineBytes * kLineBytes));
  }
  // Returns the checksum of the whole array, and begins the next one.
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

// Every implementation that this CPU can run, the portable one first: for tests and benchmarks.
struct WordSummer {
  const char* name;
  TransferChecksum (*sum)(std::span<const std::uint8_t> bytes, std::uint64_t first);
};
std::span<const WordSummer> all_word_summers();

}  // namespace spillway
