#include "indexer/chunk/position_folder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "io/base/varint.hpp"

namespace spillway {
namespace {

constexpr std::size_t kSlack = 64;

ChunkLimits small_limits() {
  ChunkLimits limits;
  limits.table_entries = 100;
  limits.stream_words = 4096;
  return limits;
}

std::vector<std::uint32_t> decode(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint32_t> positions;
  std::uint64_t position = 0;
  const std::uint8_t* at = bytes.data();
  while (at != bytes.data() + bytes.size()) {
    std::uint64_t distance = 0;
    EXPECT_TRUE(read_varint(&at, bytes.data() + bytes.size(), &distance));
    position += distance;
    positions.push_back(static_cast<std::uint32_t>(position));
  }
  return positions;
}

TEST(PositionFolder, GivesEachTermItsPositionsInOrder) {
  MemoryBudget budget(std::size_t{64} << 20);
  const ChunkLimits limits = small_limits();
  TermTable table(budget, limits.table_entries, 4096);
  std::vector<std::uint32_t> numbers;
  for (int i = 0; i < 100; ++i)
    numbers.push_back(table.number_of(table.insert("t" + std::to_string(i), KeySpace::kTerm)));
  PositionFolder folder(budget, limits, kSlack, true);
  std::mt19937_64 random(1);
  for (int document = 0; document < 200; ++document) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> expected;
    std::vector<std::uint32_t> touched;
    std::uint32_t position = random() % 4 == 0 ? 4000000000U : 0;
    std::size_t count = 0;
    const std::size_t wanted = random() % 500;
    while (count < wanted && !folder.is_full(count)) {
      const std::uint32_t number = numbers[random() % (1 + random() % 100)];
      TableEntry& entry = table[number];
      if (entry.frequency++ == 0) touched.push_back(number);
      folder.occurrences()[2 * count] = number;
      folder.occurrences()[2 * count + 1] = position;
      ++count;
      expected[number].push_back(position);
      position += static_cast<std::uint32_t>(std::uint64_t{1} << random() % 18);  // distances of one to three bytes
    }
    const std::size_t before = folder.distances().size();
    folder.fold(table, touched, count);
    std::size_t at = before;
    for (const std::uint32_t number : touched) {
      const PositionFolder::List list = folder.next_list(table[number]);
      ASSERT_EQ(list.frequency, expected[number].size());
      ASSERT_EQ(decode(folder.distances().subspan(at, list.bytes)), expected[number]);
      std::uint64_t weight = 0;
      for (const std::uint32_t p : expected[number]) weight += position_value(p);
      ASSERT_EQ(list.weight, weight);
      ASSERT_EQ(table[number].frequency, 0U);
      at += list.bytes;
    }
    ASSERT_EQ(at, folder.distances().size());
    if (folder.is_full(0)) {
      std::uint64_t all = 0;
      for (const std::uint32_t number : numbers) all += std::exchange(table[number].distance_bytes, 0);
      ASSERT_EQ(all, folder.distances().size());
      ASSERT_LE(all, PositionFolder::max_distance_bytes(limits, kSlack));
      folder.clear();
    }
  }
}

TEST(PositionFolder, NoticesFrequenciesThatDoNotAddUp) {
  MemoryBudget budget(std::size_t{64} << 20);
  TermTable table(budget, 100, 4096);
  const std::uint32_t number = table.number_of(table.insert("term", KeySpace::kTerm));
  PositionFolder folder(budget, small_limits(), kSlack, true);
  table[number].frequency = 2;
  folder.occurrences()[0] = number;
  folder.occurrences()[1] = 7;
  const std::vector<std::uint32_t> touched{number};
  EXPECT_THROW(folder.fold(table, touched, 1), std::logic_error);
}

TEST(PositionFolder, TakesNoMemoryWhereItIsNotUsed) {
  MemoryBudget budget(1);
  const PositionFolder folder(budget, small_limits(), kSlack, false);
  EXPECT_EQ(budget.used_bytes(), 0U);
}

}  // namespace
}  // namespace spillway
