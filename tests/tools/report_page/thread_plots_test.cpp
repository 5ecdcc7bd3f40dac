#include "tools/report_page/thread_plots.hpp"

#include <gtest/gtest.h>

namespace spillway {
namespace {

using nlohmann::ordered_json;

ordered_json sorter(const std::string& name, double seconds) { return {{"sorter", name}, {"sort_seconds", seconds}}; }

ordered_json strings_case(const std::string& set, int strings, std::vector<ordered_json> sorters) {
  return {{"set", set}, {"strings", strings}, {"sorters", std::move(sorters)}};
}

std::vector<LinePlot> plots(const std::vector<ordered_json>& cases) {
  const ordered_json run{{"kind", "strings"}, {"cases", cases}};
  return thread_plots({run, "paper.json"});
}

TEST(ThreadPlots, DrawALineForEachSorter) {
  const auto drawn =
      plots({strings_case("dna9", 100,
                          {sorter("cpu-msd, 4 threads", 1), sorter("cpu-msd, 1 thread", 2),
                           sorter("cpu-multikey, 1 thread", 4), sorter("cpu-multikey, 4 threads", 2)}),
             strings_case("url", 100, {sorter("cpu-msd, 1 thread", 1), sorter("cpu-msd, 2 threads", 1)})});
  ASSERT_EQ(drawn.size(), 2u) << "one for each set";
  EXPECT_EQ(drawn[0].title, "dna9: strings per second by threads");
  ASSERT_EQ(drawn[0].series.size(), 2u);
  EXPECT_EQ(drawn[0].series[0].name, "cpu-msd");
  ASSERT_EQ(drawn[0].series[0].points.size(), 2u);
  EXPECT_DOUBLE_EQ(drawn[0].series[0].points[0].x, 1) << "sorted by threads";
  EXPECT_DOUBLE_EQ(drawn[0].series[0].points[1].y.middle, 100);
}

TEST(ThreadPlots, NameTheNumbersOfStringsWhereThereAreSeveral) {
  const std::vector<ordered_json> both{sorter("cpu-msd, 1 thread", 1), sorter("cpu-msd, 2 threads", 1)};
  const auto drawn = plots({strings_case("url", 10'000, both), strings_case("url", 20'000, both)});
  ASSERT_EQ(drawn.size(), 1u);
  ASSERT_EQ(drawn[0].series.size(), 2u);
  EXPECT_EQ(drawn[0].series[1].name, "cpu-msd, 20,000 strings");
}

TEST(ThreadPlots, AreNoneOfOneNumberOfThreadsOrOtherNames) {
  EXPECT_TRUE(plots({strings_case("url", 10, {sorter("cpu-msd, 1 thread", 1)})}).empty());
  EXPECT_TRUE(plots({strings_case("url", 10,
                                  {sorter("cpu-msd", 1), sorter("form, ids of 4 bytes", 1), sorter("a, x threads", 1),
                                   sorter(", threads", 1)})})
                  .empty());
}

}  // namespace
}  // namespace spillway
