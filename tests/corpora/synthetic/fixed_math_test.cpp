#include "corpora/synthetic/fixed_math.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace spillway {
namespace {

double from_fixed(std::int64_t value) { return static_cast<double>(value) / static_cast<double>(kFixedOne); }

TEST(FixedMath, LogarithmsAreRight) {
  SplitMix random(1);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t value = random.next() >> random.below(60) | 1;
    const double expected = std::log2(static_cast<double>(value)) - 32;
    ASSERT_NEAR(from_fixed(fixed_log2(value)), expected, 1e-9) << value;
  }
  EXPECT_EQ(fixed_log2(std::uint64_t{1} << 32), 0);
  EXPECT_EQ(fixed_log2(std::uint64_t{8} << 32), 3 * kFixedOne);
}

TEST(FixedMath, PowersAreRight) {
  SplitMix random(2);
  for (int i = 0; i < 10000; ++i) {
    const auto exponent = -static_cast<std::int64_t>(random.below(std::uint64_t{30} << 32));
    const double expected = std::exp2(from_fixed(exponent));
    ASSERT_NEAR(std::ldexp(static_cast<double>(fixed_exp2(exponent)), -62) / expected, 1, 1e-8) << exponent;
  }
  EXPECT_EQ(fixed_exp2(0), std::uint64_t{1} << 62);
  EXPECT_EQ(fixed_exp2(-62 * kFixedOne), 1u);
  EXPECT_EQ(fixed_exp2(-1000 * kFixedOne), 0u);
}

TEST(FixedMath, NormalDrawsHaveMeanZeroAndVarianceOne) {
  SplitMix random(3);
  double sum = 0, squares = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = from_fixed(random.normal());
    sum += draw;
    squares += draw * draw;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
}

}  // namespace
}  // namespace spillway
