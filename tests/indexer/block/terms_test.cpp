#include "indexer/block/terms.hpp"

#include <gtest/gtest.h>

#include "sort/sorters.hpp"
#include "tests/indexer/block/block_of_terms.hpp"
#include "tests/indexer/parse/parsed_documents.hpp"

namespace spillway {
namespace {

using testing::kTestBudget;
using testing::random_chunks;

// A block whose chunks have these terms.
class BlockTermsTest : public ::testing::TestWithParam<std::string_view> {
 protected:
  Block block_of(const std::vector<std::vector<std::string>>& chunks) { return testing::block_of(chunks, budget_); }
  const StringSorter& sorter() const { return *find_string_sorter(GetParam()); }
  MemoryBudget budget_{kTestBudget};
};

TEST_P(BlockTermsTest, OrdersTheTermsOfAllChunksAndKnowsWhereTheyCameFrom) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto chunks = random_chunks(seed, seed % 2 == 0 ? 8 : 60);
    std::vector<std::tuple<std::string, std::uint32_t, std::uint32_t>> expected;  // text, chunk, term
    for (std::uint32_t c = 0; c < chunks.size(); ++c) {
      for (std::uint32_t t = 0; t < chunks[c].size(); ++t) expected.emplace_back(chunks[c][t], c, t);
    }
    std::sort(expected.begin(), expected.end());
    const Block block = block_of(chunks);
    const BlockTerms terms(block, sorter(), budget_);
    ASSERT_EQ(terms.size(), expected.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto& [text, chunk, term] = expected[i];
      ASSERT_EQ(terms.text(i), text) << "seed " << seed;
      ASSERT_EQ(terms.chunk(i), chunk);
      ASSERT_EQ(terms.term(i), term);
      ASSERT_EQ(terms.starts_term(i), i == 0 || std::get<0>(expected[i - 1]) != text);
    }
    std::size_t first = 0;
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      EXPECT_EQ(terms.first_string(c), first);
      first += chunks[c].size();
    }
  }
}

TEST_P(BlockTermsTest, CutsRangesBetweenTerms) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Block block = block_of(random_chunks(seed));
    const BlockTerms terms(block, sorter(), budget_);
    for (const std::size_t strings : {std::size_t{1}, std::size_t{3}, std::size_t{50}, std::size_t{100000}}) {
      const std::vector<std::size_t> ranges = terms.ranges(strings);
      ASSERT_FALSE(ranges.empty());
      EXPECT_EQ(ranges.front(), 0U);
      EXPECT_EQ(ranges.back(), terms.size());
      for (std::size_t i = 1; i < ranges.size(); ++i) {
        ASSERT_LT(ranges[i - 1], ranges[i]);
        if (ranges[i] != terms.size()) {
          EXPECT_TRUE(terms.starts_term(ranges[i]));
        }
        EXPECT_LE(ranges[i] - ranges[i - 1], strings + block.chunks.size());
      }
    }
  }
}

TEST_P(BlockTermsTest, TakesBlocksWithoutTerms) {
  const Block block = block_of({{}, {}});
  const BlockTerms terms(block, sorter(), budget_);
  EXPECT_EQ(terms.size(), 0U);
  EXPECT_EQ(terms.ranges(10), std::vector<std::size_t>{0});
}

TEST_P(BlockTermsTest, NeedsNoMoreMemoryThanItSays) {
  const auto chunks = random_chunks(4);
  const Block block = block_of(chunks);
  std::size_t count = 0;
  for (const auto& terms : chunks) count += terms.size();
  MemoryBudget budget(BlockTerms::memory_bytes(count, sorter()) + 3 * 4096);  // three buffers of whole pages
  {
    const BlockTerms terms(block, sorter(), budget);
    EXPECT_EQ(terms.size(), count);
  }
  EXPECT_EQ(budget.used_bytes(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Sorters, BlockTermsTest, ::testing::Values("cpu-msd", "cpu-multikey"),
                         [](const auto& param_info) { return param_info.param == "cpu-msd" ? "Msd" : "Multikey"; });

}  // namespace
}  // namespace spillway
