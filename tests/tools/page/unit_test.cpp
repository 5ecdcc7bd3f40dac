#include "tools/page/unit.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace spillway {
namespace {

TEST(QuantityText, HasThreeDigitsAndAPrefix) {
  EXPECT_EQ(quantity_text(14.154e9, rate_unit("keys")), "14.2 G keys/s");
  EXPECT_EQ(quantity_text(0.00118528, seconds_unit()), "1.19 ms");
  EXPECT_EQ(quantity_text(4.39e-11, seconds_unit()), "43.9 ps");
  EXPECT_EQ(quantity_text(12345, seconds_unit()), "12345 s");
  EXPECT_EQ(quantity_text(610e6, bytes_unit()), "610 MB");
  EXPECT_EQ(quantity_text(512, bytes_unit()), "512 B");
  EXPECT_EQ(quantity_text(1024 * 1024, memory_unit()), "1.00 MiB");
  EXPECT_EQ(quantity_text(5375041, plain_unit()), "5,375,041");
  EXPECT_EQ(quantity_text(-1234, plain_unit()), "-1,234");
  EXPECT_EQ(quantity_text(2.5, {"%", Prefixes::kNone}), "2.50 %");
}

// 999.6 of a unit is 1.00 of the next, not 1000.
TEST(QuantityText, RoundsBeforeItChoosesAPrefix) {
  EXPECT_EQ(quantity_text(999.6e3, bytes_unit()), "1.00 MB");
  EXPECT_EQ(quantity_text(0.9996, seconds_unit()), "1.00 s");
  EXPECT_EQ(quantity_text(9.996e-3, seconds_unit()), "10.0 ms");
}

TEST(QuantityText, ShowsNoNumberForNone) {
  EXPECT_EQ(quantity_text(NAN, seconds_unit()), "- s");
  EXPECT_EQ(quantity_text(INFINITY, plain_unit()), "-");
  EXPECT_EQ(quantity_text(0, seconds_unit()), "0 s");
}

TEST(RangeText, HasOneUnit) {
  EXPECT_EQ(range_text(14.2e9, 13.9e9, 14.31e9, rate_unit("keys")), "14.2 (13.9 to 14.3) G keys/s");
  EXPECT_EQ(range_text(1.5e-3, 0.9e-3, 2e-3, seconds_unit()), "1.50 (0.900 to 2.00) ms");
}

TEST(TickText, LeavesZerosAndWordsOut) {
  EXPECT_EQ(tick_text(0.5, seconds_unit()), "500 ms");
  EXPECT_EQ(tick_text(1.5, seconds_unit()), "1.5 s");
  EXPECT_EQ(tick_text(2e9, bytes_unit()), "2 GB");
  EXPECT_EQ(tick_text(2e9, rate_unit("keys")), "2 G") << "the axis is named";
}

TEST(PowerOfTwoText, HasASuperscript) {
  EXPECT_EQ(power_of_two_text(20), "2²⁰");
  EXPECT_EQ(power_of_two_text(-3), "2⁻³");
}

}  // namespace
}  // namespace spillway
