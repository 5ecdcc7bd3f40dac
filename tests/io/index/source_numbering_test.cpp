#include "io/index/source_numbering.hpp"

#include <gtest/gtest.h>

#include <random>

namespace spillway {
namespace {

// Compares every kept document with a plain walk over the source.
void check(const std::vector<std::uint32_t>& dropped, std::uint32_t source_documents) {
  const SourceNumbering numbering(dropped);
  EXPECT_EQ(numbering.dropped_count(), dropped.size());
  SourceNumbering::Ascending every(numbering), some(numbering);
  std::uint32_t kept = 0;
  std::size_t passed = 0;
  for (std::uint32_t source = 0; source < source_documents; ++source) {
    const bool is_dropped = passed < dropped.size() && dropped[passed] == source;
    ASSERT_EQ(numbering.is_dropped(source), is_dropped) << source;
    if (is_dropped) {
      ++passed;
      continue;
    }
    ASSERT_EQ(numbering.to_source(kept), source);
    ASSERT_EQ(every.to_source(kept), source);
    if (kept % 777 == 0) {
      ASSERT_EQ(some.to_source(kept), source);
    }
    ++kept;
  }
}

TEST(SourceNumbering, IsTheIdentityWithoutDroppedDocuments) {
  check({}, 5000);
  EXPECT_EQ(SourceNumbering().to_source(2147483646), 2147483646U);
}

TEST(SourceNumbering, FindsTheSourceOfEveryKeptDocument) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::uint64_t rarity = 1 + random() % (seed % 2 == 0 ? 4 : 2000);
    std::vector<std::uint32_t> dropped;
    const auto source = static_cast<std::uint32_t>(random() % 20000);
    for (std::uint32_t d = 0; d < source; ++d) {
      if (random() % rarity == 0 || (d / 1024) % 3 == 1) dropped.push_back(d);
    }
    check(dropped, source + 3000);
  }
}

TEST(SourceNumbering, KnowsBordersOfItsBlocks) {
  for (const std::uint32_t first : {0U, 1U, 63U, 64U, 511U, 512U, 513U, 1023U, 1024U}) {
    for (const std::uint32_t count : {1U, 2U, 511U, 512U, 513U, 1024U}) {
      std::vector<std::uint32_t> dropped;
      for (std::uint32_t i = 0; i < count; ++i) dropped.push_back(first + i);
      check(dropped, first + count + 1100);
    }
  }
}

}  // namespace
}  // namespace spillway
