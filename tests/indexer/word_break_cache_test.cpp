#include "indexer/word_break_cache.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace spillway {
namespace {

std::u16string random_stretch(std::mt19937_64& random, std::size_t longest) {
  std::u16string stretch;
  const std::size_t units = 1 + random() % longest;
  while (stretch.size() < units)
    stretch.push_back(static_cast<char16_t>(random() % 3 == 0 ? random() : 0x4E00 + random() % 4));
  return stretch;
}

// A function of the stretch, so that any answer can be checked.
std::vector<std::uint8_t> ends_of(const std::u16string& stretch) {
  std::vector<std::uint8_t> ends;
  for (std::size_t i = 0; i + 1 < stretch.size(); ++i) {
    if (stretch[i] % 3 == 0) ends.push_back(static_cast<std::uint8_t>(i + 1));
  }
  ends.push_back(static_cast<std::uint8_t>(stretch.size()));
  return ends;
}

TEST(WordBreakCache, RemembersWhatWasAdded) {
  WordBreakCache cache(std::size_t{1} << 20);
  std::mt19937_64 random(1);
  std::size_t known = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::u16string stretch = random_stretch(random, WordBreakCache::kMaxUnits);
    cache.add(stretch, ends_of(stretch));
    const auto found = cache.find(stretch);
    ASSERT_EQ(std::vector<std::uint8_t>(found.begin(), found.end()), ends_of(stretch));
    ++known;
  }
  EXPECT_EQ(known, 1000U);
  EXPECT_TRUE(cache.find(std::u16string(u"never added")).empty());
}

// Many rounds through the smallest ring: what is found is right, or nothing is.
TEST(WordBreakCache, ForgetsButNeverMixesUp) {
  WordBreakCache cache(1);
  std::mt19937_64 random(2);
  std::vector<std::u16string> stretches;
  for (int i = 0; i < 300; ++i) stretches.push_back(random_stretch(random, i % 2 == 0 ? 4 : WordBreakCache::kMaxUnits));
  std::size_t found_count = 0, missed = 0;
  for (int i = 0; i < 200000; ++i) {
    const std::u16string& stretch = stretches[random() % stretches.size()];
    const auto found = cache.find(stretch);
    if (found.empty()) {
      ++missed;
      cache.add(stretch, ends_of(stretch));
      continue;
    }
    ++found_count;
    ASSERT_EQ(std::vector<std::uint8_t>(found.begin(), found.end()), ends_of(stretch));
  }
  EXPECT_GT(found_count, 1000U);
  EXPECT_GT(missed, 1000U);
}

}  // namespace
}  // namespace spillway
