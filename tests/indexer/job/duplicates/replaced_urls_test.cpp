#include "indexer/job/duplicates/replaced_urls.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"

namespace spillway {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST(ReplacedUrls, AreThoseOfTheIndexThatAnAppendedDocumentHas) {
  MemoryBudget budget(std::size_t{1} << 20);
  Numbers dropped;
  ReplacedUrls replaced(budget, 10, [&](std::uint32_t number) { dropped.push_back(number); });
  const std::pair<std::uint32_t, Numbers> urls[] = {{0, {3, 4}},          // only of the index
                                                    {1, {5, 11, 6 + 9}},  // two of the index, two appended
                                                    {12, {13}},           // only appended
                                                    {9, {14}}};
  for (const auto& [first, numbers] : urls) {
    for (const std::uint32_t number : numbers) replaced.take(first, number);
  }
  EXPECT_EQ(dropped, (Numbers{1, 5, 9}));
}

TEST(ReplacedUrls, KeepTheBudget) {
  MemoryBudget budget(1000);
  ReplacedUrls replaced(budget, 1000, [](std::uint32_t) {});
  EXPECT_THROW(
      {
        for (std::uint32_t number = 1; number < 1000; ++number) replaced.take(0, number);
      },
      BudgetError);
}

}  // namespace
}  // namespace spillway
