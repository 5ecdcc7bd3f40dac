// Helpers of the string sets: random numbers for each string, and functions that append bytes.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "corpora/synthetic/fixed_math.hpp"

namespace spillway {

// The random numbers for one string or group of strings. The index is hashed first, so that neighbours do not get
// shifted copies of one sequence.
inline SplitMix random_of(std::uint64_t seed, std::uint64_t index) {
  SplitMix of_set(seed);
  return SplitMix(of_set.next() ^ SplitMix(index).next());
}

inline char* put(std::string_view text, char* out) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

inline char* put_number(std::uint64_t number, char* out) { return std::to_chars(out, out + 20, number).ptr; }

template <std::size_t size>
std::string_view one_of(const std::array<std::string_view, size>& choices, SplitMix& random) {
  return choices[static_cast<std::size_t>(random.below(size))];
}

// A permutation of [0, 2^bits), 8 <= bits <= 32.
inline std::uint64_t scattered(std::uint64_t number, unsigned bits, std::uint64_t seed) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (unsigned round = 0; round < 3; ++round) {
    number = (number * 0x9E3779B1 + seed) & mask;
    number ^= number >> (bits / 2);
  }
  return number;
}

}  // namespace spillway
