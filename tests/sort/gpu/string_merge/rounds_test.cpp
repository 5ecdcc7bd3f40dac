// How many comparisons with pivots gpu-string-merge takes where strings share long prefixes or are nested.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/support/gpu_host_forms/string_merge.hpp"

namespace spillway {
namespace {

std::size_t comparisons(const std::vector<std::string>& strings) {
  std::vector<StringRef> refs;
  for (const std::string& text : strings) {
    refs.push_back({reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<std::uint32_t>(text.size()), 0});
  }
  return string_merge_comparisons(refs);
}

// Earlier, a round advanced by 1,022 bytes: 257 rounds.
TEST(StringMergeRounds, SkipALongPrefixInOneRound) {
  for (const std::size_t count : {1000, 2000}) {
    std::vector<std::string> strings{"an outlier"};
    for (std::size_t i = 0; i < count; ++i) strings.push_back(std::string(256 << 10, 'x') + std::to_string(i % 10));
    EXPECT_LE(comparisons(strings), 20u);
  }
}

TEST(StringMergeRounds, HalveNestedPrefixes) {
  const std::string text(400000, 'n');
  for (const std::size_t step : {1, 100, 2000}) {
    std::vector<std::string> strings{"an outlier"};
    for (std::size_t bytes = 1; bytes <= 200 * step; bytes += step) strings.push_back(text.substr(0, bytes));
    std::shuffle(strings.begin(), strings.end(), std::mt19937_64(step));
    EXPECT_LE(comparisons(strings), 40u) << step;
  }
}

}  // namespace
}  // namespace spillway
