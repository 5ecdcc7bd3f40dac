// --part I/N: the bytes of the whole input, divided evenly.
#pragma once

#include <cstdint>

namespace spillway {

struct ByteRange {
  std::uint64_t begin = 0, end = 0;
};

// The share of part `number` of `count` in `total` bytes. Requires: 1 <= number <= count.
inline ByteRange part_range(std::uint64_t total, std::uint32_t number, std::uint32_t count) {
  const auto border = [&](std::uint64_t i) {
    return static_cast<std::uint64_t>(static_cast<__uint128_t>(total) * i / count);
  };
  return {border(number - 1), border(number)};
}

}  // namespace spillway
