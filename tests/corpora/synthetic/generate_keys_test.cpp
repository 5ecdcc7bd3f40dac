#include "corpora/synthetic/generate_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <numeric>
#include <string>

#include "io/base/checksum.hpp"
#include "io/base/error.hpp"

namespace spillway {
namespace {

std::vector<std::uint64_t> keys_of(KeyDistribution distribution, std::uint64_t count, unsigned bits = 64,
                                   std::uint64_t seed = 1, unsigned threads = 1) {
  std::vector<std::uint64_t> keys(count);
  fill_keys(KeySet({distribution, count, bits, seed}), threads, keys);
  return keys;
}

std::string bytes_of(const KeySet& set, unsigned threads) {
  std::string bytes;
  generate_keys(set, threads, [&](std::string_view fragment) { bytes += fragment; });
  return bytes;
}

// The bytes of a seed must never change: published figures depend on them.
TEST(GenerateKeys, SeedsMeanTheSameBytesEverywhere) {
  const std::map<std::string_view, std::string> expected{
      {"uniform", "c6bf77614acc7aea45ab49a4064b2bc2"},   {"gaussian", "90688d45f183f1fc5a66ee5f963aa71c"},
      {"zipfian", "8149194649826dcbec6c3e0c5898d4c9"},   {"all-zero", "490102498a48d25cf17331465eb1ae86"},
      {"sorted", "4213681673c53a7e72dd4c71968f5f3e"},    {"reversed", "10a40c7b7ff09708ab39f55bd53e665b"},
      {"entropy-1", "c6bf77614acc7aea45ab49a4064b2bc2"}, {"entropy-2", "59ad06d45358b8b21cc7addd535fc0db"},
      {"entropy-3", "5433ed2afbb3a134f82175076d802d5e"}, {"entropy-4", "f5678c10b9c3b1dc78ea50d8efd6beb8"},
      {"entropy-5", "abd98150e1b210ed33870990d7a411ea"}, {"floats", "a4d630f663b466f2ccfc4b84ae3ed3e1"}};
  ASSERT_EQ(key_distributions().size(), expected.size());
  for (const KeyDistributionText& text : key_distributions()) {
    const std::string bytes = bytes_of(KeySet({text.distribution, 100000, 40, 1}), 1);
    EXPECT_EQ(to_hex(hash128({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()})),
              expected.at(text.name))
        << text.name;
    EXPECT_EQ(key_distribution_name(text.distribution), text.name);
  }
}

TEST(GenerateKeys, ThreadsDoNotMatterAndMemoryHoldsTheSame) {
  for (const KeyDistributionText& text : key_distributions()) {
    const KeySet set({text.distribution, 300'000, 48, 5});
    const std::string expected = bytes_of(set, 1);
    EXPECT_EQ(bytes_of(set, 4), expected) << text.name;
    const auto keys = keys_of(text.distribution, 300'000, 48, 5, 3);
    ASSERT_EQ(expected.size(), keys.size() * 8);
    EXPECT_EQ(std::memcmp(keys.data(), expected.data(), expected.size()), 0) << text.name;
  }
}

TEST(GenerateKeys, MakesAsManyAsAsked) {
  for (const std::uint64_t count : {0, 1, 65535, 65536, 65537}) {
    EXPECT_EQ(bytes_of(KeySet({KeyDistribution::kSorted, count, 64, 1}), 2).size(), count * 8);
  }
}

// Restores the numbers from their keys: the order of the keys is that of the numbers.
TEST(KeySets, HoldFloatsInTheirOrder) {
  auto keys = keys_of(KeyDistribution::kFloats, 20'000, 32);
  std::sort(keys.begin(), keys.end());
  std::vector<float> numbers;
  for (const std::uint64_t key : keys) {
    const auto image = static_cast<std::uint32_t>(key);
    numbers.push_back(std::bit_cast<float>((image >> 31) != 0 ? image & 0x7FFFFFFFu : ~image));
  }
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_GE(numbers.front(), -1.0F);
  EXPECT_LE(numbers.back(), 1.0F);
  EXPECT_LT(numbers[5'000], -0.4F);
  EXPECT_GT(numbers[15'000], 0.4F);
}

TEST(KeySets, StayBelowTheirBits) {
  for (const KeyDistributionText& text : key_distributions()) {
    for (const unsigned bits : {1u, 8u, 16u, 24u, 32u, 63u, 64u}) {
      const auto keys = keys_of(text.distribution, 5000, bits);
      const std::uint64_t any = std::accumulate(keys.begin(), keys.end(), std::uint64_t{0}, std::bit_or<>());
      EXPECT_LE(static_cast<unsigned>(std::bit_width(any)), bits) << text.name;
      if (text.distribution == KeyDistribution::kAllZero) {
        EXPECT_EQ(any, 0u);
      } else if (text.distribution != KeyDistribution::kGaussian || bits > 1) {
        EXPECT_EQ(static_cast<unsigned>(std::bit_width(any)), bits) << text.name;
      }
    }
  }
}

TEST(KeySets, AreOrderedWhereTheyAreNamedSo) {
  for (const unsigned bits : {8u, 32u, 64u}) {
    auto ascending = keys_of(KeyDistribution::kSorted, 10000, bits);
    EXPECT_TRUE(std::is_sorted(ascending.begin(), ascending.end()));
    EXPECT_LT(ascending.front() >> (bits - 8), 2u);
    EXPECT_EQ(ascending.back() >> (bits - 8), 255u);
    std::reverse(ascending.begin(), ascending.end());
    EXPECT_EQ(keys_of(KeyDistribution::kReversed, 10000, bits), ascending);
  }
}

// A bit of the AND of k samples is set with probability 2^-k.
TEST(KeySets, HaveTheEntropyOfTheirSamples) {
  constexpr std::uint64_t kCount = 20000;
  for (unsigned samples = 1; samples <= 5; ++samples) {
    const auto distribution =
        static_cast<KeyDistribution>(static_cast<unsigned>(KeyDistribution::kEntropy1) + samples - 1);
    std::uint64_t set_bits = 0;
    for (const std::uint64_t key : keys_of(distribution, kCount, 32)) {
      set_bits += static_cast<std::uint64_t>(std::popcount(key));
    }
    const double share = static_cast<double>(set_bits) / (32 * kCount);
    EXPECT_NEAR(share, 1.0 / (1 << samples), 0.003) << samples;
  }
  EXPECT_EQ(keys_of(KeyDistribution::kEntropy1, 100), keys_of(KeyDistribution::kUniform, 100));
}

TEST(KeySets, GaussianKeysGatherInTheMiddle) {
  const auto keys = keys_of(KeyDistribution::kGaussian, 20000, 32);
  const auto within = [&](double low, double high) {
    const double whole = 4294967296.0;
    return std::count_if(keys.begin(), keys.end(), [&](std::uint64_t key) {
      const double at = static_cast<double>(key) / whole;
      return at >= low && at < high;
    });
  };
  // The mean of four uniform draws deviates by 1 / sqrt(48) = 0.144: 68 % within one deviation.
  EXPECT_NEAR(static_cast<double>(within(0.5 - 0.1443, 0.5 + 0.1443)) / 20000, 0.68, 0.02);
  EXPECT_NEAR(static_cast<double>(within(0, 0.5)) / 20000, 0.5, 0.02);
}

TEST(KeySets, TheRthZipfianKeyComesInProportionToOneOverR) {
  std::map<std::uint64_t, int> counts;
  for (const std::uint64_t key : keys_of(KeyDistribution::kZipfian, 200'000, 16)) ++counts[key];
  std::vector<int> sorted;
  for (const auto& [key, count] : counts) sorted.push_back(count);
  std::sort(sorted.rbegin(), sorted.rend());
  EXPECT_NEAR(sorted[0] / static_cast<double>(sorted[1]), 2, 0.1);
  EXPECT_NEAR(sorted[0] / static_cast<double>(sorted[9]), 10, 0.7);
  EXPECT_GT(sorted.size(), 10000u);
  EXPECT_GT(counts.rbegin()->first, 60000u) << "spread over the range";
}

TEST(KeySets, RefuseBitsThatKeysDoNotHave) {
  EXPECT_THROW(KeySet({KeyDistribution::kUniform, 1, 0, 1}), UsageError);
  EXPECT_THROW(KeySet({KeyDistribution::kUniform, 1, 65, 1}), UsageError);
}

}  // namespace
}  // namespace spillway
