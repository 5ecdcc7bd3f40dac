#include "tools/page/scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace spillway {
namespace {

std::vector<std::string> texts(const Scale& scale) {
  std::vector<std::string> texts;
  for (const Tick& tick : scale.ticks()) texts.push_back(tick.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(TickStep, IsRound) {
  EXPECT_DOUBLE_EQ(tick_step(10, 5, Prefixes::kDecimal), 2);
  EXPECT_DOUBLE_EQ(tick_step(10.1, 5, Prefixes::kDecimal), 5);
  EXPECT_DOUBLE_EQ(tick_step(0.3, 6, Prefixes::kDecimal), 0.05);
  EXPECT_DOUBLE_EQ(tick_step(5000, 5, Prefixes::kBinary), 1024);
}

TEST(LinearScale, BeginsAtZeroAndEndsAtATick) {
  const Scale scale = Scale::linear(3, 6.09, seconds_unit());
  EXPECT_EQ(texts(scale), (Texts{"0 s", "2 s", "4 s", "6 s", "8 s"}));
  EXPECT_DOUBLE_EQ(scale.place(4), 0.5);
  EXPECT_DOUBLE_EQ(scale.place(100), 1);
  EXPECT_EQ(texts(Scale::linear(0, 4.8 * 1073741824, memory_unit())),
            (Texts{"0 B", "1 GiB", "2 GiB", "3 GiB", "4 GiB", "5 GiB"}));
}

TEST(LinearScale, HasNoTicksBetweenWholeNumbers) {
  EXPECT_EQ(texts(Scale::linear(0, 1, count_unit())), (Texts{"0", "1"}));
  EXPECT_EQ(texts(Scale::linear(0, 3, count_unit())), (Texts{"0", "1", "2", "3"}));
  EXPECT_EQ(texts(Scale::linear(0, 5000, count_unit())), (Texts{"0", "1,000", "2,000", "3,000", "4,000", "5,000"}));
  EXPECT_EQ(texts(Scale::linear(0, 1, plain_unit())).size(), 6u);
}

TEST(LinearScale, ShowsAnythingAsSomething) {
  for (const double most : {0.0, -1.0, std::nan(""), 1e-300}) {
    const Scale scale = Scale::linear(0, most, seconds_unit());
    EXPECT_GE(scale.ticks().size(), 2u) << most;
    EXPECT_LT(scale.least(), scale.most()) << most;
  }
  EXPECT_EQ(Scale::linear(0, 1, seconds_unit()).place(NAN), 0);
}

TEST(ExactScale, KeepsItsEnds) {
  const Scale scale = Scale::exact(0, 0.134, seconds_unit());
  EXPECT_DOUBLE_EQ(scale.most(), 0.134);
  EXPECT_EQ(texts(scale), (Texts{"0 s", "50 ms", "100 ms"}));
}

TEST(Log10Scale, EndsAtOneTwoOrFive) {
  const Scale scale = Scale::log10(5.2e9, 18e9, rate_unit("keys"));
  EXPECT_EQ(texts(scale), (Texts{"5 G", "10 G", "20 G"}));
  EXPECT_EQ(texts(Scale::log10(3e6, 4e10, bytes_unit())), (Texts{"10 MB", "100 MB", "1 GB", "10 GB"}));
  EXPECT_NEAR(Scale::log10(1, 100, plain_unit()).place(10), 0.5, 1e-12);
}

TEST(Log2Scale, HasPowersOfTwo) {
  EXPECT_EQ(texts(Scale::log2(1024, 4096)), (Texts{"2¹⁰", "2¹¹", "2¹²"}));
  EXPECT_LE(Scale::log2(1, std::exp2(40)).ticks().size(), 9u);
  EXPECT_DOUBLE_EQ(Scale::log2(100'000, 200'000).least(), 65536);
}

// Every value lies between the ends, places grow with values, and there are a few ticks, all within the ends.
TEST(Scale, HoldsForAnyRange) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-12, 12);
  for (int i = 0; i < 5000; ++i) {
    const double a = std::pow(10, exponent(random)), b = std::pow(10, exponent(random));
    const double least = std::min(a, b), most = std::max(a, b);
    for (const Scale& scale : {Scale::linear(least, most, seconds_unit()), Scale::exact(least, most, bytes_unit()),
                               Scale::log10(least, most, memory_unit()), Scale::log2(least, most)}) {
      ASSERT_LE(scale.least(), least * (1 + 1e-6)) << least << " " << most;
      ASSERT_GE(scale.most(), most * (1 - 1e-6)) << least << " " << most;
      ASSERT_LE(scale.place(least), scale.place(most));
      ASSERT_LE(scale.ticks().size(), 12u) << least << " " << most;
      ASSERT_GE(scale.ticks().size(), most / least > 10 ? 2u : 1u) << least << " " << most;
      for (const Tick& tick : scale.ticks()) {
        ASSERT_GE(tick.value, scale.least() * (1 - 1e-6));
        ASSERT_LE(tick.value, scale.most() * (1 + 1e-6));
      }
    }
  }
}

// A report may say anything: the ticks of a range up to 1e308 took forever.
TEST(Scale, HasFewTicksWhateverTheNumbers) {
  const std::vector<double> numbers{-INFINITY, -1e308, -1e30,     -1,   -1e-320, 0,     1e-320,   1e-300,
                                    1e-30,     1,      1 + 1e-15, 1e18, 1e30,    1e308, INFINITY, std::nan("")};
  for (const double least : numbers) {
    for (const double most : numbers) {
      for (const Scale& scale : {Scale::linear(least, most, seconds_unit()), Scale::exact(least, most, bytes_unit()),
                                 Scale::log10(least, most, memory_unit()), Scale::log2(least, most)}) {
        EXPECT_LT(scale.least(), scale.most()) << least << " " << most;
        EXPECT_LE(scale.ticks().size(), 14u) << least << " " << most;
        EXPECT_LT(scale.place(scale.least()), scale.place(scale.most())) << least << " " << most;
        for (const Tick& tick : scale.ticks()) EXPECT_TRUE(std::isfinite(tick.value)) << least << " " << most;
      }
    }
  }
}

}  // namespace
}  // namespace spillway
