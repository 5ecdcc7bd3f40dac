// The step logic of the GPU merge sorts on the CPU: networks, splits, ranks, and both sorts of keys with values.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "sort/gpu/interface/key_order.hpp"
#include "sort/gpu/merge/davidson_steps.hpp"
#include "sort/gpu/merge/satish_steps.hpp"
#include "tests/support/gpu_host_forms/davidson_merge.hpp"
#include "tests/support/gpu_host_forms/satish_merge.hpp"

namespace spillway {
namespace {

using Keys = std::vector<std::uint64_t>;

TEST(SortEight, IsStableForEveryPatternOfFewKeysAndEveryCount) {
  for (unsigned pattern = 0; pattern < 6561; ++pattern) {  // 3^8
    for (const unsigned count : {1u, 5u, 8u}) {
      Record<true> records[8], expected[8];
      unsigned digits = pattern;
      for (unsigned i = 0; i < 8; ++i, digits /= 3) records[i] = expected[i] = {digits % 3, i};
      std::stable_sort(expected, expected + count, [](auto& a, auto& b) { return a.key < b.key; });
      sort_eight(records, count, WholeKeyLess{});
      for (unsigned i = 0; i < 8; ++i) {
        ASSERT_EQ(records[i].key, expected[i].key) << pattern << ", count " << count;
        ASSERT_EQ(records[i].value, expected[i].value) << pattern << ", count " << count;
      }
    }
  }
}

TEST(SortInLane, SortsEveryPatternOfZerosAndOnes) {
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    Record<true> records[kPerLane];
    for (unsigned i = 0; i < kPerLane; ++i) records[i] = {pattern >> i & 1u, i};
    sort_in_lane(records, WholeKeyLess{});
    for (unsigned i = 1; i < kPerLane; ++i) {
      ASSERT_TRUE(comes_before(records[i - 1], records[i], WholeKeyLess{})) << pattern;
    }
  }
}

// Four sorted runs of a group, some short or empty, one after the other.
struct Group {
  Keys keys;
  Split begin, end;
};

Group random_group(std::mt19937_64& random, std::uint64_t distinct) {
  Group group;
  for (unsigned run = 0; run < kMergedRuns; ++run) {
    group.begin.at[run] = group.keys.size();
    Keys keys(random() % 4 == 0 ? 0 : random() % 700);
    for (std::uint64_t& key : keys) key = random() % distinct;
    std::sort(keys.begin(), keys.end());
    group.keys.insert(group.keys.end(), keys.begin(), keys.end());
    group.end.at[run] = group.keys.size();
  }
  return group;
}

// Finds the same split by the order of (key, place).
Split split_by_sorting(const Group& group, std::uint64_t rank) {
  std::vector<std::uint64_t> order(group.keys.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return group.keys[a] < group.keys[b]; });
  Split split = group.begin;
  for (std::uint64_t i = 0; i < rank; ++i) {
    for (unsigned run = 0; run < kMergedRuns; ++run) {
      if (order[i] >= group.begin.at[run] && order[i] < group.end.at[run]) ++split.at[run];
    }
  }
  return split;
}

TEST(AdvancedSplit, IsTheOneSplitThatAStableMergeHas) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 400; ++round) {
    const std::uint64_t distinct = std::uint64_t{1} << random() % 12;
    const Group group = random_group(random, distinct);
    const std::uint64_t rank = random() % (group.keys.size() + 1), first = random() % (rank + 1);
    const Split expected = split_by_sorting(group, rank);
    const Split at_once = advanced(group.begin, group.end, rank, group.keys.data(), WholeKeyLess{});
    const Split half_way = advanced(group.begin, group.end, first, group.keys.data(), WholeKeyLess{});
    const Split in_two = advanced(half_way, group.end, rank - first, group.keys.data(), WholeKeyLess{});
    for (unsigned run = 0; run < kMergedRuns; ++run) {
      ASSERT_EQ(at_once.at[run], expected.at[run]) << "round " << round << ", rank " << rank;
      ASSERT_EQ(in_two.at[run], expected.at[run]) << "round " << round << ", rank " << rank;
    }
  }
}

// Counts above 2^32 are only numbers here: no key is read.
TEST(MergePasses, CountRecordsIn64Bits) {
  const std::uint64_t run = std::uint64_t{4096} << 22;
  const MergePass pass{10 * run + 5, run, 24};
  const std::uint64_t tile = (9 * run) >> 12;
  EXPECT_EQ(group_begin(pass, tile).at[0], 8 * run);
  EXPECT_EQ(group_begin(pass, tile).at[2], 10 * run);
  EXPECT_EQ(group_end(pass, tile).at[2], 10 * run + 5);
  EXPECT_EQ(group_begin(pass, tile).at[3], 10 * run + 5);
  const TreeLevel level{5 * run + 300, run};
  EXPECT_EQ(pair_of(level, 4 * run + 9).begin, 4 * run);
  EXPECT_EQ(pair_of(level, 5 * run + 9).middle, 5 * run);
  EXPECT_EQ(pair_of(level, 5 * run + 9).end, 5 * run + 300);
}

TEST(PlaceInRange, IsTheBoundOfTheStandardLibrary) {
  std::mt19937_64 random(7);
  for (unsigned count = 0; count <= kSatishTile; ++count) {
    Keys keys(count);
    for (std::uint64_t& key : keys) key = random() % (count / 3 + 1);
    std::sort(keys.begin(), keys.end());
    Keys buffer = keys;
    buffer.resize(2 * kSatishTile, random() % 2 == 0 ? 0 : ~std::uint64_t{0});  // later values must not matter
    for (std::uint64_t key = 0; key <= count / 3 + 1; ++key) {
      ASSERT_EQ(place_in_range<Side::kRight>(buffer.data(), count, key, WholeKeyLess{}),
                std::lower_bound(keys.begin(), keys.end(), key) - keys.begin());
      ASSERT_EQ(place_in_range<Side::kLeft>(buffer.data(), count, key, WholeKeyLess{}),
                std::upper_bound(keys.begin(), keys.end(), key) - keys.begin());
    }
  }
}

using SortPairs = void (*)(RecordArray<true>, RecordArray<true>, std::size_t, BitRange);

void check_pairs(SortPairs sort, std::size_t count, std::uint64_t mask, BitRange bits) {
  std::mt19937_64 random(count + mask % 97);
  Keys keys(count), other_keys(count);
  std::vector<std::uint32_t> values(count), other_values(count), expected(count);
  for (std::uint64_t& key : keys) key = random() & mask;
  std::iota(values.begin(), values.end(), 0u);
  std::iota(expected.begin(), expected.end(), 0u);
  const Keys before = keys;
  const std::uint64_t order_mask = bit_mask(bits);
  std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
    return (before[a] & order_mask) < (before[b] & order_mask);
  });
  sort({keys.data(), values.data()}, {other_keys.data(), other_values.data()}, count, bits);
  ASSERT_EQ(values, expected) << count;
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(keys[i], before[expected[i]]) << count;
}

TEST(MergeHostForms, KeepValuesWithTheirKeysAndInOrder) {
  for (const SortPairs sort : {davidson_sort_pairs_on_host, satish_merge_sort_pairs_on_host}) {
    for (const std::size_t count : {0, 1, 2, 9, 255, 257, 2047, 2049, 8191, 8193, 10245, 40003, 140001}) {
      check_pairs(sort, count, ~std::uint64_t{0}, {});
      check_pairs(sort, count, 0xF000000000000003, {});
      check_pairs(sort, count, ~std::uint64_t{0}, {17, 20});
    }
  }
}

}  // namespace
}  // namespace spillway
