#include "merge/cursor/term_starts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace spillway {
namespace {

TEST(TermStarts, AreTheSameWithAndWithoutVectors) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    alignas(64) std::array<std::uint64_t, kTermStarts> starts{};
    const unsigned shift = static_cast<unsigned>(random() % 64);
    for (std::uint64_t& start : starts) start = ~(random() >> shift);
    const std::uint64_t least = *std::min_element(starts.begin(), starts.end());
    EXPECT_EQ(least_start(starts.data()), least) << round;
    EXPECT_EQ(least_start_portable(starts.data()), least);
    for (const std::uint64_t wanted : {least, starts[random() % kTermStarts], random()}) {
      std::uint64_t expected = 0;
      for (std::size_t i = 0; i < kTermStarts; ++i) expected |= starts[i] == wanted ? std::uint64_t{1} << i : 0;
      EXPECT_EQ(equal_starts(starts.data(), wanted), expected) << round;
      EXPECT_EQ(equal_starts_portable(starts.data(), wanted), expected);
    }
  }
}

}  // namespace
}  // namespace spillway
