// The hash of short tokens, in scalar code and in the vector code that must agree with it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

// In a chunk of tokens, the checksum of a token up to this length is taken where it is sorted, that of a longer one by
// the parser. The limit is that of hash_token_words.
inline constexpr std::size_t kShortTokenBytes = 16;

inline constexpr std::uint64_t kTokenHashLow = 0x9E3779B97F4A7C15ULL;
inline constexpr std::uint64_t kTokenHashHigh = 0xC2B2AE3D27D4EB4FULL;
inline constexpr std::uint64_t kTokenHashLast = 0xD6E8FEB86659FD93ULL;

// Of a token of up to 16 bytes as two zero-padded words. Its top bits choose the slot, so the product comes last.
inline std::uint64_t hash_token_words(std::uint64_t low, std::uint64_t high, std::uint64_t seed) {
  std::uint64_t hash = ((low ^ seed) * kTokenHashLow) ^ (high * kTokenHashHigh);
  hash ^= hash >> 32;
  return hash * kTokenHashLast;
}

}  // namespace spillway
