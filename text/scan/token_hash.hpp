// The hash of short tokens, in scalar code and in the vector code that must agree with it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

// In a chunk of tokens, the sorter takes the checksum of tokens up to this length, and the parser that of longer ones.
// hash_token_words() has the same limit.
inline constexpr std::size_t kShortTokenBytes = 16;

inline constexpr std::uint64_t kTokenHashLow = 0x9E3779B97F4A7C15ULL;
inline constexpr std::uint64_t kTokenHashHigh = 0xC2B2AE3D27D4EB4FULL;
inline constexpr std::uint64_t kTokenHashLast = 0xD6E8FEB86659FD93ULL;

// Hashes a token of up to 16 bytes, given as two zero-padded words. The top bits choose the slot, so the last step is a
// multiplication.
inline std::uint64_t hash_token_words(std::uint64_t low, std::uint64_t high, std::uint64_t seed) {
  std::uint64_t hash = ((low ^ seed) * kTokenHashLow) ^ (high * kTokenHashHigh);
  hash ^= hash >> 32;
  return hash * kTokenHashLast;
}

}  // namespace spillway
