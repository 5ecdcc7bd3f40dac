#include "tests/support/random_text.hpp"

#include <random>
#include <string_view>

namespace spillway::testing {

std::string random_text(std::uint32_t seed, std::size_t bytes) {
  constexpr std::string_view kBytes = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ,";
  std::mt19937 random(seed);
  std::string text(bytes, ' ');
  for (std::size_t i = 0; i < bytes; i += 4) {
    const auto number = random();
    for (std::size_t j = 0; j < 4 && i + j < bytes; ++j) text[i + j] = kBytes[number >> 6 * j & 63];
  }
  return text;
}

}  // namespace spillway::testing
