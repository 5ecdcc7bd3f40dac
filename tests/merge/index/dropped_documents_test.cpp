#include "merge/index/dropped_documents.hpp"

#include <gtest/gtest.h>

#include <random>

#include "io/base/error.hpp"

namespace spillway {
namespace {

TEST(DroppedDocuments, RenumbersWhatIsKept) {
  MemoryBudget budget(1 << 20);
  for (const std::uint32_t count : {1u, 63u, 64u, 65u, 511u, 512u, 513u, 5000u}) {
    std::mt19937_64 random(count);
    DroppedDocuments dropped(budget, count);
    std::vector<bool> expected(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (random() % 3 != 0) continue;
      expected[i] = true;
      dropped.drop(i);
      dropped.drop(i);
    }
    dropped.seal();
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(dropped.contains(i), expected[i]);
      if (expected[i]) continue;
      ASSERT_EQ(dropped.renumber(i), next) << i << " of " << count;
      ++next;
    }
    EXPECT_EQ(dropped.count(), count - next);
    EXPECT_EQ(dropped.none(), next == count);
  }
  EXPECT_EQ(budget.used_bytes(), 0u);
}

TEST(DroppedDocuments, AreNoneByDefault) {
  const DroppedDocuments dropped;
  EXPECT_TRUE(dropped.none());
  EXPECT_FALSE(dropped.contains(123456));
  EXPECT_EQ(dropped.renumber(123456), 123456u);
}

TEST(DroppedDocuments, ArePaidFromTheBudget) {
  MemoryBudget budget(10000);
  EXPECT_THROW(DroppedDocuments(budget, 1000000), BudgetError);
  const DroppedDocuments dropped(budget, 40000);
  EXPECT_GT(budget.used_bytes(), 40000u / 8);
  EXPECT_LT(budget.used_bytes(), 40000u / 8 * 8 / 5);
}

TEST(DroppedDocuments, RefuseADocumentOutsideTheSource) {
  MemoryBudget budget(10000);
  DroppedDocuments dropped(budget, 64);
  EXPECT_THROW(dropped.drop(64), std::logic_error);
}

}  // namespace
}  // namespace spillway
