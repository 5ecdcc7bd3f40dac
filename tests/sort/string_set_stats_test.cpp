#include "sort/string_set_stats.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace spillway {
namespace {

StringSetStats figures_of(const std::vector<std::string_view>& sorted, std::vector<std::uint32_t> lcps) {
  std::vector<StringRef> strings;
  for (const std::string_view text : sorted) {
    strings.push_back({reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<std::uint32_t>(text.size()), 0});
  }
  std::vector<std::uint32_t> order(sorted.size());
  std::iota(order.begin(), order.end(), 0u);
  return string_set_stats(strings, order, lcps);
}

TEST(StringSetStats, CountsTiesAndDistinguishingBytes) {
  const StringSetStats stats = figures_of({"abc", "abcd", "abd", "x"}, {0, 3, 2, 0});
  EXPECT_EQ(stats.count, 4u);
  EXPECT_EQ(stats.bytes, 11u);
  EXPECT_EQ(stats.least_bytes, 1u);
  EXPECT_EQ(stats.most_bytes, 4u);
  EXPECT_EQ(stats.distinguishing_bytes, 3u + 4 + 3 + 1);
  EXPECT_DOUBLE_EQ(stats.mean_tie_bytes, (3 + 2.5 + 1 + 0) / 4.0);
  EXPECT_DOUBLE_EQ(stats.max_tie_bytes, 3);
  EXPECT_EQ(stats.max_lcp_bytes, 3u);
}

TEST(StringSetStats, EqualStringsTieInAllTheirBytes) {
  const StringSetStats stats = figures_of({"aa", "aa", "aa"}, {0, 2, 2});
  EXPECT_EQ(stats.distinguishing_bytes, 6u);
  EXPECT_DOUBLE_EQ(stats.mean_tie_bytes, 2);
  EXPECT_DOUBLE_EQ(stats.max_tie_bytes, 2);
}

TEST(StringSetStats, KnowsSetsWithoutNeighbours) {
  EXPECT_EQ(figures_of({}, {}).count, 0u);
  const StringSetStats one = figures_of({"abc"}, {0});
  EXPECT_EQ(one.distinguishing_bytes, 1u);
  EXPECT_DOUBLE_EQ(one.mean_tie_bytes, 0);
}

}  // namespace
}  // namespace spillway
