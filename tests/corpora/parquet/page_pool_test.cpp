#include "corpora/parquet/page_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace spillway {
namespace {

constexpr std::size_t kPage = std::size_t{3} << 20;

TEST(PagePool, BuffersAreUsedAgainHoweverManyComeBackAtOnce) {
  const auto pool = PagePool::make();
  std::vector<const std::uint8_t*> first;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::shared_ptr<std::uint8_t[]>> pages;
    for (int i = 0; i < 8; ++i) {
      pages.push_back(pool->take(kPage));
      std::memset(pages.back().get(), i, kPage);
    }
    std::vector<const std::uint8_t*> found;
    for (const auto& page : pages) found.push_back(page.get());
    std::sort(found.begin(), found.end());
    if (round == 0) first = found;
    EXPECT_EQ(found, first);
  }
}

TEST(PagePool, APageThatIsNotMuchSmallerTakesABufferAndOthersDoNot) {
  const auto pool = PagePool::make();
  { const auto one = pool->take(8 * kPage), other = pool->take(kPage); }
  const std::uint8_t* const large = pool->take(8 * kPage).get();
  EXPECT_EQ(pool->take(3 * kPage).get(), large);
  auto small = pool->take(kPage);
  EXPECT_NE(small.get(), large);
  EXPECT_EQ(pool->take(8 * kPage).get(), large);  // it is still there
}

// Buffers that no later page takes do not stay beside those that are in use.
TEST(PagePool, HasNoMoreBytesThanWereInUseAtOnce) {
  const auto pool = PagePool::make();
  constexpr std::size_t kAll = 64 * kPage;
  for (const std::size_t size : {16 * kPage, 3 * kPage, kPage / 2, kPage / 12, 2 * kPage, 16 * kPage}) {
    std::vector<std::shared_ptr<std::uint8_t[]>> pages;
    for (std::size_t used = 0; used < kAll; used += size) pages.push_back(pool->take(size));
    EXPECT_LT(pool->bytes(), kAll + kAll / 2) << size;
    pages.clear();
    EXPECT_LT(pool->bytes(), kAll + kAll / 2) << size;
  }
}

TEST(PagePool, ABufferOutlivesThePool) {
  auto pool = PagePool::make();
  const auto page = pool->take(kPage);
  pool.reset();
  std::memset(page.get(), 7, kPage);
  EXPECT_EQ(page[kPage - 1], 7);
}

}  // namespace
}  // namespace spillway
