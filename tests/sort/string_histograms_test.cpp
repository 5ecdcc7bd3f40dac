#include "sort/string_histograms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace spillway {
namespace {

StringHistograms histograms_of(const std::vector<std::string>& strings) {
  std::vector<StringRef> refs;
  for (const std::string& text : strings) {
    refs.push_back({reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<std::uint32_t>(text.size()), 0});
  }
  std::vector<std::uint32_t> order(strings.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return strings[a] < strings[b]; });
  return string_histograms(refs, order);
}

TEST(StringHistograms, CountLengthsTiesAndEqualStarts) {
  // Sorted: "", "abc", "abcde", "abcdf", "abcdf-", "x". Prefixes of neighbours: 0, 3, 4, 5, 0.
  const StringHistograms all = histograms_of({"x", "abcdf", "", "abcde", "abc", "abcdf-"});
  EXPECT_EQ(all.lengths, (PowerHistogram{1, 1, 1, 3}));    // 0; 1; 3; 5, 5, 6
  EXPECT_EQ(all.ties, (PowerHistogram{2, 1, 2, 1}));       // 0, 1 (3 / 2), 3 (7 / 2), 4 (9 / 2), 2 (5 / 2), 0
  EXPECT_EQ(all.equal_starts, (PowerHistogram{0, 3, 1}));  // "", "abc", the three with "abcd", "x"
}

TEST(StringHistograms, AreEmptyForNoStrings) {
  const StringHistograms all = histograms_of({});
  EXPECT_TRUE(all.lengths.empty() && all.ties.empty() && all.equal_starts.empty());
}

TEST(StringHistograms, TakeShortStringsByTheirLength) {
  const StringHistograms all = histograms_of({"ab", "ab", "abc", std::string("ab\0", 3)});
  EXPECT_EQ(all.equal_starts, (PowerHistogram{0, 2, 1}));  // the two "ab"; "ab\0"; "abc"
}

}  // namespace
}  // namespace spillway
