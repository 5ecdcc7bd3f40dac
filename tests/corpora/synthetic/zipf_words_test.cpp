#include "corpora/synthetic/zipf_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

namespace spillway {
namespace {

std::string word(std::uint64_t rank) {
  char bytes[kMaxWordBytes];
  return {bytes, static_cast<std::size_t>(write_word(rank, bytes) - bytes)};
}

TEST(ZipfWords, EveryRankHasAWordOfItsOwn) {
  std::set<std::string> words;
  for (std::uint64_t rank = 0; rank < 200000; ++rank) ASSERT_TRUE(words.insert(word(rank)).second) << rank;
  EXPECT_EQ(words.begin()->find_first_not_of("abcdefghijklmnopqrstuvwxyz"), std::string::npos);
}

TEST(ZipfWords, FrequentWordsAreShort) {
  EXPECT_EQ(word(0).size(), 2u);
  EXPECT_EQ(word(49).size(), 2u);
  EXPECT_EQ(word(50).size(), 4u);
  EXPECT_EQ(word(2549).size(), 4u);
  EXPECT_EQ(word(2550).size(), 6u);
  EXPECT_EQ(word(0xFFFFFFFE).size(), kMaxWordBytes);
}

// Each octave of ranks has the frequency of the law.
TEST(ZipfWords, RanksFollowTheLaw) {
  for (const auto& [exponent, shift] : {std::pair{1.0, 2.7}, {1.5, 0.0}, {0.5, 10.0}, {0.0, 0.0}}) {
    constexpr std::uint64_t kVocabulary = 100000;
    const ZipfWords words(kVocabulary, to_fixed(exponent), to_fixed(shift));
    std::map<int, double> found, expected;
    double total = 0;
    const auto octave = [](std::uint64_t rank) { return static_cast<int>(std::log2(static_cast<double>(rank + 1))); };
    for (std::uint64_t rank = 0; rank < kVocabulary; ++rank) {
      const double weight = std::pow(static_cast<double>(rank + 1) + shift, -exponent);
      expected[octave(rank)] += weight;
      total += weight;
    }
    SplitMix random(5);
    constexpr int kDraws = 1000000;
    for (int i = 0; i < kDraws; ++i) {
      const std::uint64_t rank = words.sample_rank(random);
      ASSERT_LT(rank, kVocabulary);
      found[octave(rank)] += 1;
    }
    for (const auto& [level, weight] : expected) {
      const double mean = weight / total * kDraws;
      ASSERT_NEAR(found[level], mean, 6 * std::sqrt(mean) + 0.01 * mean) << exponent << " " << level;
    }
  }
}

TEST(ZipfWords, OneWordIsEnough) {
  const ZipfWords words(1, kFixedOne, 0);
  SplitMix random(6);
  char out[ZipfWords::kWordRoom];
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(words.sample_rank(random), 0u);
    EXPECT_EQ(std::string(out, words.write_sample(random, out)), word(0) + " ");
  }
}

}  // namespace
}  // namespace spillway
