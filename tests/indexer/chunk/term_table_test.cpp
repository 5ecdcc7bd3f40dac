#include "indexer/chunk/term_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "io/base/error.hpp"

namespace spillway {
namespace {

std::string random_key(std::mt19937_64& random, std::size_t longest) {
  std::string key;
  const std::size_t bytes = 1 + random() % longest;
  while (key.size() < bytes) key.push_back("ab\xC3\0"[random() % 4]);
  return key;
}

TEST(TermTable, FindsWhatWasInsertedAndNothingElse) {
  MemoryBudget budget(std::size_t{64} << 20);
  TermTable table(budget, 5000, 1 << 20);
  std::mt19937_64 random(1);
  std::map<std::pair<std::string, KeySpace>, std::uint32_t> expected;
  for (int i = 0; i < 20000 && table.has_room(64); ++i) {
    const std::string key = random_key(random, i % 2 == 0 ? 16 : 64);
    const KeySpace space = random() % 2 == 0 ? KeySpace::kTerm : KeySpace::kToken;
    TableEntry* const found = table.find(key, space);
    const auto known = expected.find({key, space});
    ASSERT_EQ(found != nullptr, known != expected.end());
    if (found != nullptr) {
      ASSERT_EQ(table.number_of(*found), known->second);
      continue;
    }
    const TableEntry& entry = table.insert(key, space);
    expected[{key, space}] = table.number_of(entry);
  }
  EXPECT_GT(expected.size(), 4000U);
  EXPECT_EQ(table.size(), expected.size());
  for (const auto& [key, number] : expected) {
    ASSERT_EQ(table.key_of(table[number]), key.first);
    ASSERT_EQ(TermTable::is_term(table[number]), key.second == KeySpace::kTerm);
    ASSERT_EQ(table.find(key.first, key.second), &table[number]);
  }
}

TEST(TermTable, TellsShortKeysApartByTheirLength) {
  MemoryBudget budget(std::size_t{1} << 20);
  TermTable table(budget, 16, 4096);
  const std::string with_nul("a\0", 2);
  table.insert("a", KeySpace::kTerm);
  EXPECT_EQ(table.find(with_nul, KeySpace::kTerm), nullptr);
  table.insert(with_nul, KeySpace::kTerm);
  EXPECT_NE(table.find(with_nul, KeySpace::kTerm), table.find("a", KeySpace::kTerm));
}

TEST(TermTable, FindsShortKeysByTheirWords) {
  MemoryBudget budget(std::size_t{1} << 20);
  TermTable table(budget, 64, 4096);
  for (std::size_t bytes = 1; bytes <= 16; ++bytes) {
    const std::string key = std::string("0123456789abcdef").substr(0, bytes);
    const TableEntry& entry = table.insert(key, KeySpace::kTerm);
    std::uint64_t words[2];
    TermTable::load_short(key, words);
    TermTable::ShortKey term{words[0], words[1], static_cast<std::uint32_t>(bytes)};
    EXPECT_EQ(table.find(term), &entry);
    EXPECT_TRUE(table.is_entry(table.number_of(entry), term));
    EXPECT_FALSE(table.is_entry(0, term));
    TermTable::ShortKey token = term;
    token.tagged_bytes |= TermTable::kSpaceBit;
    EXPECT_EQ(table.find(token), nullptr);
    EXPECT_FALSE(table.is_entry(table.number_of(entry), token));
  }
}

// A guess may be wrong, but never passes as the entry of another key.
TEST(TermTable, GuessesOnlyWhatIsEntryProves) {
  MemoryBudget budget(std::size_t{4} << 20);
  TermTable table(budget, 2000, 4096);
  std::mt19937_64 random(3);
  std::size_t right = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string key = std::to_string(i);
    const TableEntry& entry = table.insert(key, KeySpace::kTerm);
    TermTable::ShortKey words{0, 0, static_cast<std::uint32_t>(key.size())};
    std::uint64_t loaded[2];
    TermTable::load_short(key, loaded);
    words.low = loaded[0];
    words.high = loaded[1];
    const SlotTable slots = table.slot_table(KeySpace::kTerm);
    const std::uint64_t hash = hash_token_words(words.low, words.high, slots.seed);
    const std::uint32_t guess = slots.slots[hash >> slots.shift] & slots.index_mask;
    if (!table.is_entry(guess, words)) continue;
    EXPECT_EQ(guess, table.number_of(entry));
    ++right;
  }
  EXPECT_GT(right, 1000U);
}

TEST(TermTable, KnowsItsRoom) {
  MemoryBudget budget(std::size_t{1} << 20);
  TermTable table(budget, 3, 100);
  EXPECT_TRUE(table.has_room(100));
  EXPECT_FALSE(table.has_room(101));
  EXPECT_TRUE(table.has_room(50, 3));
  EXPECT_FALSE(table.has_room(50, 4));
  table.insert(std::string(60, 'x'), KeySpace::kTerm);
  EXPECT_FALSE(table.has_room(60));
  EXPECT_TRUE(table.could_hold(100, 3));
  EXPECT_FALSE(table.could_hold(101, 3));
  EXPECT_FALSE(table.could_hold(100, 4));
  table.insert("a", KeySpace::kTerm);
  table.insert("b", KeySpace::kTerm);
  EXPECT_FALSE(table.has_room(1));
}

TEST(TermTable, ForgetsAllWhenCleared) {
  MemoryBudget budget(std::size_t{1} << 20);
  TermTable table(budget, 100, 4096);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 100; ++i) {
      const std::string key = "key" + std::to_string(round) + std::string(static_cast<std::size_t>(i), 'x');
      if (!table.has_room(key.size())) break;
      EXPECT_EQ(table.find(key, KeySpace::kTerm), nullptr);
      const TableEntry& entry = table.insert(key, KeySpace::kTerm);
      EXPECT_EQ(entry.frequency, 0U);
      const TermState& state = table.state(table.number_of(entry));
      EXPECT_EQ(state.last_document, 0U);
      EXPECT_EQ(state.document_count, 0U);
      EXPECT_EQ(state.posting_bytes, 0U);
    }
    const std::uint32_t clears = table.clear_count();
    table.clear();
    EXPECT_NE(table.clear_count(), clears);
    EXPECT_EQ(table.size(), 0U);
    EXPECT_TRUE(table.has_room(4096, 100));
  }
}

TEST(TermTable, KeepsTheHashOfATermForTheChecksum) {
  MemoryBudget budget(std::size_t{1} << 20);
  TermTable table(budget, 16, 4096);
  const std::string longer(300, 'y');
  for (const std::string& term : {std::string("short"), longer}) {
    const TableEntry& entry = table.insert(term, KeySpace::kTerm);
    EXPECT_EQ(table.state(table.number_of(entry)).hash, hash_term(term));
  }
}

TEST(TermTable, IsPaidFromTheBudget) {
  const std::size_t bytes = TermTable::memory_bytes(1000, 10000);
  MemoryBudget enough(bytes + 3 * 4096);
  {
    const TermTable table(enough, 1000, 10000);
    EXPECT_GE(enough.used_bytes(), bytes);
  }
  EXPECT_EQ(enough.used_bytes(), 0U);
  MemoryBudget little(bytes / 2);
  EXPECT_THROW(TermTable(little, 1000, 10000), BudgetError);
}

}  // namespace
}  // namespace spillway
