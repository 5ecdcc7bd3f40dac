#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

// As std::popcount, which without the POPCNT instruction (any x86-64) is a call.
[[gnu::always_inline]] inline std::size_t count_bits(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555ULL;
  bits = (bits & 0x3333333333333333ULL) + (bits >> 2 & 0x3333333333333333ULL);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
  return static_cast<std::size_t>(bits * 0x0101010101010101ULL >> 56);
}

}  // namespace spillway
