#include "indexer/plan/memory_table.hpp"

#include <gtest/gtest.h>

#include <array>

namespace spillway {
namespace {

TEST(MemoryTable, DividesByWeight) {
  std::array<MemoryConsumer, 3> table{{{"fixed", 100}, {"a", 0, 1, kNoMost}, {"b", 0, 3, kNoMost}}};
  EXPECT_LE(divide_memory(900, table), 2U);
  EXPECT_EQ(table[0].bytes, 100U);
  EXPECT_NEAR(static_cast<double>(table[1].bytes), 200, 1);
  EXPECT_NEAR(static_cast<double>(table[2].bytes), 600, 1);
}

TEST(MemoryTable, GivesTheOthersWhatAConsumerAtItsMostLeaves) {
  std::array<MemoryConsumer, 3> table{{{"a", 0, 1, 50}, {"b", 0, 1, kNoMost}, {"c", 0, 2, kNoMost}}};
  EXPECT_LE(divide_memory(650, table), 2U);
  EXPECT_EQ(table[0].bytes, 50U);
  EXPECT_NEAR(static_cast<double>(table[1].bytes), 200, 1);
  EXPECT_NEAR(static_cast<double>(table[2].bytes), 400, 1);
}

TEST(MemoryTable, GivesEachItsLeastFirst) {
  std::array<MemoryConsumer, 2> table{{{"a", 90, 1, kNoMost}, {"b", 0, 9, kNoMost}}};
  EXPECT_LE(divide_memory(100, table), 2U);
  EXPECT_EQ(table[0].bytes, 90U);
  EXPECT_NEAR(static_cast<double>(table[1].bytes), 10, 1);
  EXPECT_EQ(least_bytes(table), 90U);
  EXPECT_EQ(divide_memory(90, table), 0U);
  EXPECT_EQ(table[1].bytes, 0U);
}

TEST(MemoryTable, LeavesWhatIsAboveTheMostOfAll) {
  std::array<MemoryConsumer, 2> table{{{"a", 0, 1, 10}, {"b", 20, 1, 5}}};
  EXPECT_EQ(divide_memory(100, table), 70U);
}

}  // namespace
}  // namespace spillway
