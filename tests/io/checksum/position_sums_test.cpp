#include "io/checksum/position_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "io/checksum/content_checksum.hpp"

namespace spillway {
namespace {

struct Postings {
  std::vector<std::uint32_t> frequencies, distances;
  void add(const std::vector<std::uint32_t>& posting) {
    frequencies.push_back(static_cast<std::uint32_t>(posting.size()));
    distances.insert(distances.end(), posting.begin(), posting.end());
  }
};

// Compares with adding the positions one by one in 64 bits.
void check(const Postings& postings) {
  std::vector<std::uint64_t> starts(postings.distances.size() / 64 + 1), sums{0};
  bool ascends = true;
  std::uint64_t position = 0;
  std::size_t at = 0;
  for (const std::uint32_t frequency : postings.frequencies) {
    starts[at / 64] |= std::uint64_t{1} << at % 64;
    position = 0;
    sums.push_back(sums.back());
    for (std::uint32_t i = 0; i < frequency; ++i, ++at) {
      position += postings.distances[at];
      ascends &= position >> 32 == 0 && (i == 0 || postings.distances[at] != 0);
      sums.back() += position_value(static_cast<std::uint32_t>(position));
    }
  }
  starts[at / 64] |= std::uint64_t{1} << at % 64;
  for (const ScanPositions scan_positions : all_position_scans()) {
    std::vector<std::uint64_t> found(sums.size() + PositionScan::kSlack);
    PositionScan scan{postings.distances, starts.data(), found.data() + 1};
    scan_positions(scan);
    ASSERT_EQ(scan.ascends, ascends);
    ASSERT_EQ(scan.last, static_cast<std::uint32_t>(position));
    found.resize(sums.size());
    ASSERT_EQ(found, sums);
  }
  PositionSums kept;
  kept.take(postings.frequencies, postings.distances);
  ASSERT_EQ(kept.ascends(), ascends);
  ASSERT_TRUE(std::ranges::equal(kept.sums(), sums));
  for (std::size_t i = 0; i + 1 < sums.size(); ++i) ASSERT_EQ(kept.weight(i), sums[i + 1] - sums[i]);
}

TEST(PositionSums, AreThoseOfPositionsAddedUpOneByOne) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    Postings postings;
    const std::uint64_t most = std::uint64_t{2} << random() % 26;
    for (std::size_t left = random() % 30; left != 0; --left) {
      std::vector<std::uint32_t> posting{static_cast<std::uint32_t>(random() % most)};
      const std::size_t count = random() % (random() % 4 == 0 ? 80 : 4);
      while (posting.size() <= count) posting.push_back(static_cast<std::uint32_t>(1 + random() % most));
      postings.add(posting);
    }
    check(postings);
  }
}

TEST(PositionSums, NoticePositionsThatStandStillOrPass32Bits) {
  for (std::size_t before = 0; before < 40; ++before) {
    for (const std::vector<std::uint32_t>& bad :
         {std::vector<std::uint32_t>{5, 0}, {0, 0}, {0xFFFFFFFF, 1}, {1, 0xFFFFFFFF}, {0x80000000, 1, 0x7FFFFFFF}}) {
      Postings postings;
      for (std::size_t i = 0; i < before; ++i) postings.add({0});
      postings.add(bad);
      for (std::size_t i = 0; i < 20; ++i) postings.add({7, 1});
      check(postings);
      PositionSums sums;
      sums.take(postings.frequencies, postings.distances);
      EXPECT_FALSE(sums.ascends()) << before;
    }
  }
}

TEST(PositionSums, TakeTheLargestPositions) {
  for (std::size_t before = 0; before < 20; ++before) {
    Postings postings;
    for (std::size_t i = 0; i < before; ++i) postings.add({3, 4});
    postings.add({0xFFFFFFFE, 1});
    for (std::size_t i = 0; i < 20; ++i) postings.add({0xFFFFFFFF});
    check(postings);
    PositionSums sums;
    sums.take(postings.frequencies, postings.distances);
    EXPECT_TRUE(sums.ascends()) << before;
  }
}

}  // namespace
}  // namespace spillway
