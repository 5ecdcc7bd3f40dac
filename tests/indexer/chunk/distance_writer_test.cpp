#include "indexer/chunk/distance_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "io/base/varint.hpp"
#include "io/checksum/content_checksum.hpp"

namespace spillway {
namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;

void check(WriteDistances write, const Lists& lists) {
  std::vector<std::uint32_t> positions;
  std::vector<std::uint64_t> starts;
  std::vector<std::uint8_t> expected;
  std::vector<std::uint32_t> ends;
  std::vector<std::uint64_t> expected_weights;
  std::uint64_t weight = 0;
  for (const std::vector<std::uint32_t>& list : lists) {
    starts.resize((positions.size() + list.size()) / 64 + 1);
    starts[positions.size() / 64] |= std::uint64_t{1} << positions.size() % 64;
    std::uint32_t last = 0;
    for (const std::uint32_t position : list) {
      std::uint8_t bytes[kMaxVarintBytes];
      expected.insert(expected.end(), bytes, write_varint(bytes, position - last));
      last = position;
      weight += position_value(position);
      positions.push_back(position);
    }
    ends.push_back(static_cast<std::uint32_t>(expected.size()));
    expected_weights.push_back(weight);
  }
  starts.resize(positions.size() / 64 + 1);
  starts[positions.size() / 64] |= std::uint64_t{1} << positions.size() % 64;
  std::vector<std::uint64_t> weights(positions.size());
  std::vector<std::uint8_t> bytes(5 * positions.size() + kDistanceSlack);
  const std::uint8_t* const end = write({positions, starts.data(), weights.data()}, bytes.data());
  bytes.resize(static_cast<std::size_t>(end - bytes.data()));
  EXPECT_EQ(bytes, expected);
  positions.resize(ends.size());
  weights.resize(ends.size());
  EXPECT_EQ(positions, ends);
  EXPECT_EQ(weights, expected_weights);
}

class DistanceWriter : public ::testing::TestWithParam<WriteDistances> {};

TEST_P(DistanceWriter, WritesNothingForNoPositions) { check(GetParam(), {}); }

TEST_P(DistanceWriter, WritesDistancesOfEveryWidth) {
  for (unsigned bits = 0; bits <= 32; ++bits) {
    for (const std::int64_t add : {-1, 0}) {
      const auto distance = static_cast<std::uint32_t>((std::int64_t{1} << bits) + add);
      check(GetParam(), Lists(40, {distance}));
      check(GetParam(), {{0, 5}, {distance}, {7, 8, 9}, {0, distance / 2 + 1, distance}});
    }
  }
}

TEST_P(DistanceWriter, WritesListsOfAnyLength) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    Lists lists(random() % 60);
    const auto most_bits = 1 + static_cast<unsigned>(random() % 26);
    for (std::vector<std::uint32_t>& list : lists) {
      std::uint32_t position = static_cast<std::uint32_t>(random() >> (64 - most_bits));
      for (std::size_t left = 1 + random() % (random() % 4 == 0 ? 50 : 3); left != 0; --left) {
        list.push_back(position);
        position += 1 + static_cast<std::uint32_t>(random() >> (64 - random() % most_bits - 1));
      }
    }
    check(GetParam(), lists);
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, DistanceWriter, ::testing::ValuesIn(all_distance_writers()),
                         [](const auto& path) { return path.index == 0 ? "portable" : "avx512"; });

}  // namespace
}  // namespace spillway
