// hash_term() (io/checksum/content_checksum.hpp) for tokens of at most kShortTokenBytes bytes, in a form that kernels
// can call. It is XXH3-128 (Collet, xxHash 0.8: "XXH3_len_1to3_128b", "..4to8..", "..9to16..") with its default secret
// and our seed; everything that depends only on those two is a constant. O(1).
#pragma once

#include <cstdint>

#include "indexer/chunk/parsed_chunk.hpp"
#include "io/checksum/content_checksum.hpp"
#include "sort/gpu/device/host_device.hpp"

namespace spillway {

// A token's bytes in order, from the lowest byte of `low` on. The bytes after them may be any.
struct ShortToken {
  std::uint64_t low, high;
  unsigned bytes;  // 1 to kShortTokenBytes
};

// A hash; not reduced mod 2^61-1 yet.
struct Hash128Halves {
  std::uint64_t low, high;
};

namespace xxh3 {

inline constexpr std::uint64_t kPrime32_2 = 0x85EBCA77, kPrime64_1 = 0x9E3779B185EBCA87,
                               kPrime64_2 = 0xC2B2AE3D27D4EB4F, kPrime64_3 = 0x165667B19E3779F9;

SPILLWAY_HOST_DEVICE constexpr std::uint32_t swapped(std::uint32_t value) {
  return value << 24 | (value & 0xFF00) << 8 | (value >> 8 & 0xFF00) | value >> 24;
}
SPILLWAY_HOST_DEVICE constexpr std::uint64_t swapped(std::uint64_t value) {
  return std::uint64_t{swapped(static_cast<std::uint32_t>(value))} << 32 |
         swapped(static_cast<std::uint32_t>(value >> 32));
}

// The words of the secret, for tokens of 1 to 3 bytes, 4 to 8, and 9 to 16.
inline constexpr std::uint64_t kFlip3Low = (0x396CFEB8U ^ 0xBE4BA423U) + kTermSeed;
inline constexpr std::uint64_t kFlip3High = (0x2C81017CU ^ 0x1CAD21F7U) - kTermSeed;
inline constexpr std::uint64_t kSeed8 =
    kTermSeed ^ std::uint64_t{swapped(static_cast<std::uint32_t>(kTermSeed & 0xFFFFFFFF))} << 32;
inline constexpr std::uint64_t kFlip8 = (0xDB979083E96DD4DEULL ^ 0x1F67B3B7A4A44072ULL) + kSeed8;
inline constexpr std::uint64_t kFlip16Low = (0x78E5C0CC4EE679CBULL ^ 0x2172FFCC7DD05A82ULL) - kTermSeed;
inline constexpr std::uint64_t kFlip16High = (0x8E2443F7744608B8ULL ^ 0x4C263A81E69035E0ULL) + kTermSeed;

SPILLWAY_HOST_DEVICE constexpr Hash128Halves multiply(std::uint64_t a, std::uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
}
SPILLWAY_HOST_DEVICE constexpr std::uint64_t avalanche64(std::uint64_t hash) {
  hash = (hash ^ hash >> 33) * kPrime64_2;
  hash = (hash ^ hash >> 29) * kPrime64_3;
  return hash ^ hash >> 32;
}
SPILLWAY_HOST_DEVICE constexpr std::uint64_t avalanche(std::uint64_t hash) {
  hash = (hash ^ hash >> 37) * 0x165667919E3779F9ULL;
  return hash ^ hash >> 32;
}

SPILLWAY_HOST_DEVICE constexpr Hash128Halves hash_to_3(const ShortToken& token) {
  const auto byte = [&](unsigned i) { return static_cast<std::uint32_t>(token.low >> 8 * i & 0xFF); };
  const std::uint32_t low = byte(0) << 16 | byte(token.bytes >> 1) << 24 | byte(token.bytes - 1) | token.bytes << 8;
  const std::uint32_t turned = swapped(low), high = turned << 13 | turned >> 19;
  return {avalanche64(low ^ kFlip3Low), avalanche64(high ^ kFlip3High)};
}
SPILLWAY_HOST_DEVICE constexpr Hash128Halves hash_to_8(const ShortToken& token) {
  const std::uint64_t last = token.low >> 8 * (token.bytes - 4) << 32;
  Hash128Halves hash = multiply(((token.low & 0xFFFFFFFF) | last) ^ kFlip8, kPrime64_1 + (token.bytes << 2));
  hash.high += hash.low << 1;
  hash.low ^= hash.high >> 3;
  hash.low = (hash.low ^ hash.low >> 35) * 0x9FB21C651E98DF25ULL;
  return {hash.low ^ hash.low >> 28, avalanche(hash.high)};
}
SPILLWAY_HOST_DEVICE constexpr Hash128Halves hash_to_16(const ShortToken& token) {
  const unsigned before = 8 * (token.bytes - 8);  // bits: 8 to 64
  const std::uint64_t last = token.low >> 1 >> (before - 1) | token.high << (64 - before);
  Hash128Halves hash = multiply(token.low ^ last ^ kFlip16Low, kPrime64_1);
  hash.low += std::uint64_t{token.bytes - 1} << 54;
  const std::uint64_t flipped = last ^ kFlip16High;
  hash.high += flipped + (flipped & 0xFFFFFFFF) * (kPrime32_2 - 1);
  hash.low ^= swapped(hash.high);
  Hash128Halves result = multiply(hash.low, kPrime64_2);
  result.high += hash.high * kPrime64_2;
  return {avalanche(result.low), avalanche(result.high)};
}

}  // namespace xxh3

SPILLWAY_HOST_DEVICE constexpr Hash128Halves hash_short_token(const ShortToken& token) {
  const Hash128Halves hash = token.bytes <= 3   ? xxh3::hash_to_3(token)
                             : token.bytes <= 8 ? xxh3::hash_to_8(token)
                                                : xxh3::hash_to_16(token);
  return {field61::reduce(hash.low), field61::reduce(hash.high)};
}

}  // namespace spillway
