// The plan of a split covers the bucket in order: with tiles that fit a block, and buckets that do not.
#include "sort/gpu/hybrid_msd/prefix_msd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

namespace spillway {
namespace {

struct Plan {
  std::vector<MsdBucket> tiles, buckets;
  std::array<std::uint32_t, kMsdDigits> places;
};

Plan plan(const std::array<std::uint32_t, kMsdDigits>& counts, std::uint32_t begin, std::uint32_t array) {
  Plan result{{}, {}, counts};
  const std::uint32_t size = std::accumulate(counts.begin(), counts.end(), 0u);
  plan_buckets(
      MsdBucket{begin, begin + size, array}, result.places.data(),
      [&](const MsdBucket& bucket) { result.buckets.push_back(bucket); },
      [&](const MsdBucket& tile) { result.tiles.push_back(tile); });
  return result;
}

void check(const std::array<std::uint32_t, kMsdDigits>& counts) {
  const Plan result = plan(counts, 1000, 0);
  std::uint32_t at = 1000;
  std::vector<std::uint32_t> begins;
  for (std::size_t digit = 0; digit < kMsdDigits; ++digit) {
    EXPECT_EQ(result.places[digit], at);
    if (counts[digit] != 0) begins.push_back(at);
    at += counts[digit];
  }
  std::vector<MsdBucket> parts = result.tiles;
  parts.insert(parts.end(), result.buckets.begin(), result.buckets.end());
  std::sort(parts.begin(), parts.end(), [](const MsdBucket& a, const MsdBucket& b) { return a.begin < b.begin; });
  std::uint32_t end = 1000;
  for (const MsdBucket& part : parts) {
    EXPECT_EQ(part.begin, end);
    EXPECT_TRUE(std::binary_search(begins.begin(), begins.end(), part.begin));
    end = part.end;
  }
  EXPECT_EQ(end, at);
  for (const MsdBucket& tile : result.tiles) EXPECT_LE(tile.size(), kMsdTile);
  for (const MsdBucket& bucket : result.buckets) EXPECT_GT(bucket.size(), kMsdTile);
}

TEST(PlanBuckets, CoversWhatWasSplit) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  for (int round = 0; round < 300; ++round) {
    std::array<std::uint32_t, kMsdDigits> counts{};
    const std::uint32_t most = std::array<std::uint32_t, 4>{10, 200, 3000, 40000}[below(4)];
    for (std::uint32_t& count : counts) count = below(3) == 0 ? below(most) : 0;
    counts[below(kMsdDigits)] += kMsdTile - 1 + below(3);
    check(counts);
  }
}

TEST(PlanBuckets, LeavesWhatHasOneDigitWhereItIs) {
  std::array<std::uint32_t, kMsdDigits> counts{};
  counts[77] = 100000;
  const Plan whole = plan(counts, 5, 1);
  ASSERT_EQ(whole.buckets.size(), 1u);
  EXPECT_EQ(whole.buckets[0].array, 1u);
  counts[78] = 1;
  const Plan split = plan(counts, 5, 1);
  EXPECT_EQ(split.buckets[0].array, 0u);
  EXPECT_EQ(split.tiles[0].array, 0u);
}

TEST(MsdSlices, CoverBucketsOfAnySize) {
  for (const std::uint32_t items :
       {1U, kMsdSlice - 1, kMsdSlice, kMsdSlice + 1, 0xFFFFFFFFU - kMsdSlice, 0xFFFFFFFFU}) {
    EXPECT_EQ(msd_slices(items), (std::uint64_t{items} + kMsdSlice - 1) / kMsdSlice);
  }
}

TEST(MsdDigit, GoesThroughThePrefixAndThenTheNumber) {
  const std::uint64_t prefix = 0x0102030405060708;
  const std::uint32_t index = 0x090A0B0C;
  for (std::uint32_t level = 0; level < 12; ++level) EXPECT_EQ(msd_digit(prefix, index, level), level + 1);
}

}  // namespace
}  // namespace spillway
