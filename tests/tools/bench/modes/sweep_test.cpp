#include "tools/bench/modes/sweep.hpp"

#include <gtest/gtest.h>

namespace spillway {
namespace {

constexpr std::uint64_t kMB = 1'000'000;

Series seconds(double value) {
  Series series;
  series.add(value);
  return series;
}

SweepCell cell(const std::string& text, unsigned threads, std::uint64_t bytes, double cpu, double gpu) {
  return {text, threads, bytes, 1, seconds(cpu), seconds(gpu)};
}

TEST(SweepBorders, BeginWhereTheGpuStaysFaster) {
  // Faster at 1 MB by chance, slower at 4 MB, faster from 16 MB on.
  const auto borders = find_borders({cell("pages", 2, 16 * kMB, 2, 1), cell("pages", 2, kMB, 0.2, 0.1),
                                     cell("pages", 2, 4 * kMB, 0.5, 0.6), cell("pages", 2, 64 * kMB, 8, 3)},
                                    {});
  ASSERT_EQ(borders.size(), 1u);
  EXPECT_EQ(borders[0].faster_from_bytes, 16 * kMB);
  EXPECT_FALSE(borders[0].cheaper_from_bytes) << "no costs were given";
  EXPECT_EQ(sweep_border_text(borders[0]), "pages, 2 threads: with its start gpu+ is faster from 16.0 MB on");
}

TEST(SweepBorders, AreMissingWhereTheLargestSizeIsFasterOnTheCpu) {
  const auto borders = find_borders({cell("pages", 1, kMB, 2, 1), cell("pages", 1, 2 * kMB, 1, 2)}, {});
  ASSERT_EQ(borders.size(), 1u);
  EXPECT_FALSE(borders[0].faster_from_bytes);
  EXPECT_NE(sweep_border_text(borders[0]).find("not faster"), std::string::npos);
}

TEST(SweepBorders, WeighCosts) {
  // Twice as fast at 1 MB and four times at 4 MB, for three times the price.
  const std::vector<SweepCell> cells{cell("pages", 4, kMB, 2, 1), cell("pages", 4, 4 * kMB, 8, 2)};
  const auto borders = find_borders(cells, {.cpu_cost = 1, .gpu_cost = 3});
  ASSERT_EQ(borders.size(), 1u);
  EXPECT_EQ(borders[0].faster_from_bytes, kMB);
  EXPECT_EQ(borders[0].cheaper_from_bytes, 4 * kMB);
  const auto dear = find_borders(cells, {.cpu_cost = 1, .gpu_cost = 5});
  EXPECT_EQ(sweep_border_text(dear[0]),
            "pages, 4 threads: with its start gpu+ is faster from 1.00 MB on, and not cheaper at the largest size");
}

TEST(SweepBorders, StandForEachTextAndNumberOfThreads) {
  SweepCell without = cell("books", 1, kMB, 1, 1);
  without.gpu_seconds = {};
  const auto borders = find_borders(
      {cell("pages", 1, kMB, 2, 1), cell("pages", 2, kMB, 1, 2), cell("books", 2, kMB, 2, 1), without}, {});
  ASSERT_EQ(borders.size(), 3u) << "cells without a GPU have no border";
  EXPECT_EQ(borders[1].threads, 2u);
  EXPECT_FALSE(borders[1].faster_from_bytes);
}

TEST(SweepBorders, CountTheStartOfTheGpu) {
  const std::vector<SweepCell> cells{cell("pages", 4, kMB, 0.2, 0.1), cell("pages", 4, 4 * kMB, 0.8, 0.4)};
  EXPECT_EQ(find_borders(cells, {.gpu_start_seconds = 0.05})[0].faster_from_bytes, kMB);
  EXPECT_EQ(find_borders(cells, {.gpu_start_seconds = 0.3})[0].faster_from_bytes, 4 * kMB);
  EXPECT_FALSE(find_borders(cells, {.gpu_start_seconds = 0.5})[0].faster_from_bytes);
}

TEST(Sweep, CountsGigabytesForMoney) {
  // 1 GB in 36 s at 10 an hour: a tenth.
  const SweepCell one = cell("pages", 1, 1000 * kMB, 36, 18);
  EXPECT_DOUBLE_EQ(gigabytes_per_money(one, 36, 10), 10);
  const auto json = sweep_cell_json(one, {.cpu_cost = 10});
  EXPECT_DOUBLE_EQ(json.at("modes").at(0).at("gigabytes_per_money").get<double>(), 10);
  EXPECT_TRUE(json.at("modes").at(1).at("gigabytes_per_money").is_null());
  EXPECT_DOUBLE_EQ(json.at("times_faster").at("median").get<double>(), 2);
}

}  // namespace
}  // namespace spillway
