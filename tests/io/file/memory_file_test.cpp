#include "io/file/memory_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "io/base/error.hpp"

namespace spillway {
namespace {

std::vector<std::uint8_t> counting_bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

TEST(MemoryFile, GivesBackWhatWasAppendedAcrossFragments) {
  const auto bytes = counting_bytes(1000);
  for (const std::size_t step : {1u, 3u, 64u, 65u, 1000u}) {
    MemoryBudget budget(1 << 20);
    MemoryFile file(budget, "run", 64);
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      file.append(std::span(bytes).subspan(at, std::min(step, bytes.size() - at)));
    }
    EXPECT_EQ(file.size(), 1000u);
    for (std::size_t at = 0; at <= bytes.size(); at += 13) {
      std::vector<std::uint8_t> got(200);
      got.resize(file.read_at(at, got));
      const auto expected = std::span(bytes).subspan(at, std::min<std::size_t>(200, bytes.size() - at));
      EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin(), expected.end())) << at;
    }
  }
}

TEST(MemoryFile, GivesNothingBehindItsEnd) {
  MemoryBudget budget(1 << 20);
  MemoryFile file(budget, "run", 64);
  std::uint8_t byte = 0;
  EXPECT_EQ(file.read_at(0, {&byte, 1}), 0u);
  file.append({&byte, 1});
  EXPECT_EQ(file.read_at(1, {&byte, 1}), 0u);
  EXPECT_EQ(file.read_at(~std::uint64_t{0}, {&byte, 1}), 0u);
  EXPECT_THROW(file.read_exactly(1, {&byte, 1}), IoError);
}

TEST(MemoryFile, PaysFromTheBudgetAndGivesBack) {
  MemoryBudget budget(1 << 20);
  {
    MemoryFile file(budget, "run", 4096);
    EXPECT_EQ(budget.used_bytes(), 0u);
    file.append(counting_bytes(4097));
    EXPECT_EQ(budget.used_bytes(), 8192u);
  }
  EXPECT_EQ(budget.used_bytes(), 0u);
}

TEST(MemoryFile, AppendThatDoesNotFitChangesNothing) {
  MemoryBudget budget(10'000);
  MemoryFile file(budget, "the run", 4096);
  const auto bytes = counting_bytes(5000);
  file.append(bytes);
  EXPECT_THROW(file.append(bytes), BudgetError);
  EXPECT_EQ(file.size(), 5000u);
  EXPECT_EQ(budget.used_bytes(), 8192u);
  file.append(std::span(bytes).first(3192));
  std::vector<std::uint8_t> got(8192);
  EXPECT_EQ(file.read_at(0, got), 8192u);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), got.begin()));
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.begin() + 3192, got.begin() + 5000));
}

TEST(MemoryFile, GivesRoomAndViewsOfIt) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    MemoryBudget budget(std::size_t{1} << 24);
    MemoryFile file(budget, "run", 20'000);
    std::vector<std::uint8_t> expected;
    std::vector<std::pair<std::span<std::uint8_t>, std::size_t>> rooms;  // room to fill, and its place in the file
    for (int step = 0; step < 30; ++step) {
      const auto bytes = counting_bytes(1 + random() % 9000);
      if (random() % 2 == 0) {
        file.append(bytes);
      } else {
        rooms.emplace_back(file.extend(bytes.size()), expected.size());
        ASSERT_EQ(rooms.back().first.size(), bytes.size());
      }
      expected.insert(expected.end(), bytes.begin(), bytes.end());
      ASSERT_EQ(file.size(), expected.size());
    }
    std::shuffle(rooms.begin(), rooms.end(), random);
    for (const auto& [room, at] : rooms) std::copy_n(expected.data() + at, room.size(), room.begin());
    std::vector<std::uint8_t> got(expected.size());
    EXPECT_EQ(file.read_at(0, got), got.size());
    EXPECT_EQ(got, expected);
    for (const auto& [room, at] : rooms) {
      const auto view = file.view(at, room.size());
      ASSERT_EQ(view.data(), room.data());
      EXPECT_EQ(view.size(), room.size());
    }
    EXPECT_TRUE(file.view(expected.size() - 1, 2).empty());
    EXPECT_TRUE(file.view(expected.size(), 1).empty());
    EXPECT_EQ(file.memory_bytes(), budget.used_bytes());
    EXPECT_LE(file.memory_bytes(), expected.size() + 30 * 4096 + 20'000);
  }
}

std::size_t mappings_of_this_process() {
  std::ifstream maps("/proc/self/maps");
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(maps), {}, '\n'));
}

// A process may have 65530 mappings.
TEST(MemoryFile, TakesFewMappingsHoweverSmallTheBlocks) {
  MemoryBudget budget(std::size_t{1} << 30);
  MemoryFile file(budget, "run", std::size_t{64} << 10);
  const std::size_t before = mappings_of_this_process();
  for (int i = 0; i < 2000; ++i) file.extend(40'000)[0] = 1;
  EXPECT_LT(mappings_of_this_process(), before + 200);
  EXPECT_LE(budget.used_bytes(), 2000 * 40'960U);
}

TEST(MemoryFile, RoomThatDoesNotFitChangesNothing) {
  MemoryBudget budget(10'000);
  MemoryFile file(budget, "the run", 4096);
  file.append(counting_bytes(100));
  EXPECT_THROW(file.extend(6000), BudgetError);
  EXPECT_EQ(file.size(), 100U);
  EXPECT_EQ(file.extend(3996).size(), 3996U);
  EXPECT_EQ(budget.used_bytes(), 4096U);
}

TEST(MemoryFile, IsReadByManyThreads) {
  MemoryBudget budget(1 << 20);
  MemoryFile file(budget, "run", 1000);
  const auto bytes = counting_bytes(50'000);
  file.append(bytes);
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      std::vector<std::uint8_t> got(bytes.size());
      EXPECT_EQ(file.read_at(0, got), got.size());
      EXPECT_EQ(got, bytes);
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace spillway
