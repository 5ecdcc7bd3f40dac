#include "indexer/block/term_groups.hpp"

#include <gtest/gtest.h>

#include <set>

#include "io/base/error.hpp"
#include "tests/indexer/block/block_of_terms.hpp"
#include "tests/indexer/parse/parsed_documents.hpp"

namespace spillway {
namespace {

using testing::block_of;
using testing::kTestBudget;
using testing::random_chunks;
using Chunks = std::vector<std::vector<std::string>>;

std::vector<std::uint32_t> first_strings(const Chunks& chunks) {
  std::vector<std::uint32_t> first{0};
  for (const auto& terms : chunks) first.push_back(first.back() + static_cast<std::uint32_t>(terms.size()));
  return first;
}

// Every string is in the group of its text, and each text has one group.
void expect_groups(const Chunks& chunks) {
  MemoryBudget blocks(kTestBudget), budget(kTestBudget);
  const Block block = block_of(chunks, blocks);
  const std::vector<std::uint32_t> first = first_strings(chunks);
  const TermGroups groups(block, first, budget);
  EXPECT_LE(budget.peak_bytes(), TermGroups::memory_bytes(first.back()));
  EXPECT_EQ(budget.used_bytes(), TermGroups::held_bytes(first.back(), groups.texts().size()));
  ASSERT_EQ(groups.string_count(), first.back());
  std::set<std::string> distinct;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (std::size_t t = 0; t < chunks[c].size(); ++t) {
      const std::uint32_t group = groups.of_string(first[c] + t);
      ASSERT_LT(group, groups.texts().size());
      ASSERT_EQ(groups.texts()[group].view(), chunks[c][t]);
      distinct.insert(chunks[c][t]);
    }
  }
  EXPECT_EQ(groups.texts().size(), distinct.size());
}

TEST(TermGroups, AreTheDistinctTextsOfAllChunks) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    expect_groups(random_chunks(seed, 1 + seed));
  }
}

// Several threads find the same new terms at once.
TEST(TermGroups, AreTheSameForManyEqualChunks) {
  Chunks chunks(64);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (int t = 0; t < 3000; ++t) chunks[c].push_back("term " + std::to_string(t));
  }
  expect_groups(chunks);
}

// There are more terms than the first table holds.
TEST(TermGroups, TakeChunksThatHaveNoTermInCommon) {
  for (const std::size_t terms : {1U, 2U, 700U}) {
    Chunks chunks(40);
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      for (std::size_t t = 0; t < terms; ++t) chunks[c].push_back(std::to_string(c) + "-" + std::to_string(t));
    }
    expect_groups(chunks);
  }
}

TEST(TermGroups, TellTextsApartThatDifferInAnyByte) {
  for (const std::size_t bytes : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 15U, 16U, 17U, 33U}) {
    SCOPED_TRACE(bytes);
    Chunks chunks(3);
    for (std::size_t at = 0; at < bytes; ++at) {
      for (int value = 1; value < 256; value += 2) {
        std::string text(bytes, '\0');
        text[at] = static_cast<char>(value);
        for (auto& terms : chunks) terms.push_back(text);
      }
    }
    for (auto& terms : chunks) terms.emplace_back(bytes, '\0');
    expect_groups(chunks);
  }
}

TEST(TermGroups, AreNoneWhereThereAreNoTerms) {
  expect_groups({});
  expect_groups({{}, {}});
}

TEST(TermGroups, ArePaidForBeforeTheyAreMade) {
  MemoryBudget blocks(kTestBudget), budget(20 * 100);
  const Block block = block_of({std::vector<std::string>(101, "term")}, blocks);
  EXPECT_THROW(TermGroups(block, std::vector<std::uint32_t>{0, 101}, budget), BudgetError);
  EXPECT_EQ(budget.used_bytes(), 0U);
}

}  // namespace
}  // namespace spillway
