#include "tools/report/figures.hpp"

#include <gtest/gtest.h>

namespace spillway {
namespace {

TEST(Figures, SizesAreDecimalAndMemoryIsBinary) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1000), "1.00 KB");
  EXPECT_EQ(bytes_text(12'345'678), "12.3 MB");
  EXPECT_EQ(bytes_text(UINT64_MAX), "18446744 TB");
  EXPECT_EQ(memory_text(64u << 20), "64.0 MiB");
}

TEST(Figures, CountsAreGrouped) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(1234567), "1,234,567");
}

TEST(Figures, TimesGrowIntoMinutesAndHours) {
  EXPECT_EQ(seconds_text(0.1234), "0.123 s");
  EXPECT_EQ(seconds_text(12.34), "12.3 s");
  EXPECT_EQ(seconds_text(245), "4 min 5 s");
  EXPECT_EQ(seconds_text(7380), "2 h 3 min");
}

TEST(Figures, NothingIsDividedByZero) {
  EXPECT_EQ(rate_text(1000, 0), "- MB/s");
  EXPECT_EQ(percent_text(1, 0), "- %");
  EXPECT_EQ(rate_text(412'000'000, 1), "412 MB/s");
  EXPECT_EQ(percent_text(1, 3), "33.3 %");
}

TEST(Figures, ColumnsAreFilledButNeverCut) {
  EXPECT_EQ(right_aligned("ab", 4), "  ab");
  EXPECT_EQ(left_aligned("ab", 4), "ab  ");
  EXPECT_EQ(right_aligned("abcde", 4), "abcde");
}

}  // namespace
}  // namespace spillway
