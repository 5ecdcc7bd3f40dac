#include "indexer/chunk/pinned_slot_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "indexer/parse/chunk_sizes.hpp"
#include "io/base/error.hpp"
#include "tests/indexer/parse/parsed_documents.hpp"

namespace spillway {
namespace {

using testing::join_chunks;
using testing::JoinedChunks;
using testing::kTestBudget;
using testing::OracleDocument;
using testing::parse_documents;
using testing::Parsed;
using testing::ParseSetting;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

TEST(PinnedSlotPool, HandsOutEachSlotOnce) {
  for (const std::size_t slot_bytes : {std::size_t{1000}, std::size_t{64} << 10, 3 * kMebibyte}) {
    MemoryBudget budget(kTestBudget);
    PinnedSlotPool slots(budget, 150 * kMebibyte, slot_bytes);
    EXPECT_EQ(budget.used_bytes(), 150 * kMebibyte);
    EXPECT_GT(slots.slot_count() * slot_bytes, 140 * kMebibyte);
    std::vector<PinnedSlotPool::Slot> taken;
    std::set<const std::uint8_t*> begins, region_begins;
    while (true) {
      PinnedSlotPool::Slot slot = slots.take();
      if (slot.empty()) break;
      EXPECT_EQ(slot.span().size(), slot_bytes);
      EXPECT_GE(slot.span().data(), slot.region().data());
      EXPECT_LE(&slot.span().back(), &slot.region().back());
      begins.insert(slot.span().data());
      region_begins.insert(slot.region().data());
      taken.push_back(std::move(slot));
    }
    EXPECT_EQ(taken.size(), slots.slot_count());
    EXPECT_EQ(region_begins.size(), 5U);
    ASSERT_EQ(begins.size(), taken.size());
    const auto next = std::adjacent_find(begins.begin(), begins.end(), [&](const auto* a, const auto* b) {
      return static_cast<std::size_t>(b - a) < slot_bytes;
    });
    EXPECT_EQ(next, begins.end()) << "two taken overlap";
    taken.pop_back();
    EXPECT_FALSE(slots.take().empty());
  }
}

// A job then touches no more pages than are in use at once.
TEST(PinnedSlotPool, GivesTheSlotThatCameBackLast) {
  MemoryBudget budget(kTestBudget);
  PinnedSlotPool slots(budget, 16 * kMebibyte, kMebibyte);
  PinnedSlotPool::Slot first = slots.take(), second = slots.take();
  const std::uint8_t* const at = first.span().data();
  first = {};
  EXPECT_EQ(slots.take().span().data(), at);
  PinnedSlotPool::Slot third = slots.take();
  EXPECT_EQ(third.span().data(), at);
  third = std::move(second);
  EXPECT_NE(third.span().data(), at);
  EXPECT_EQ(PinnedSlotPool::Slot().span().size(), 0U);
}

TEST(PinnedSlotPool, IsSharedByThreads) {
  MemoryBudget budget(kTestBudget);
  PinnedSlotPool slots(budget, 4 * kMebibyte, 4096);
  std::vector<std::thread> threads;
  for (std::uint8_t thread = 1; thread <= 4; ++thread) {
    threads.emplace_back([&slots, thread] {
      std::vector<PinnedSlotPool::Slot> held;
      for (int i = 0; i < 3000; ++i) {
        PinnedSlotPool::Slot slot = slots.take();
        if (!slot.empty()) {
          std::ranges::fill(slot.span(), thread);
          held.push_back(std::move(slot));
        }
        if (held.size() > 200) {
          for (const PinnedSlotPool::Slot& mine : held) {
            EXPECT_TRUE(std::ranges::all_of(mine.span(), [&](std::uint8_t byte) { return byte == thread; }));
          }
          held.clear();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(PinnedSlotPool, IsRefusedWhereTheBudgetHasNoRoom) {
  MemoryBudget budget(16 * kMebibyte);
  EXPECT_THROW(PinnedSlotPool(budget, 17 * kMebibyte, kMebibyte), BudgetError);
}

class PinnedSlotParsing : public ::testing::TestWithParam<bool> {
 protected:
  // Parses with and without slots, and expects the same content. Returns the chunks.
  Parsed check(const std::vector<OracleDocument>& documents, ParseSetting setting, std::size_t pinned_bytes) {
    setting.form = ChunkForm::kTokens;
    setting.options.positions = GetParam();
    const JoinedChunks plain = joined(parse_documents(documents, setting, budget_), setting);
    slots_.emplace(budget_, pinned_bytes, pinned_slot_bytes(setting.options, setting.limits));
    setting.slots = &*slots_;
    Parsed parsed = parse_documents(documents, setting, budget_);
    for (const ParsedChunk& chunk : parsed.chunks) expect_to_stand(chunk);
    const JoinedChunks found = joined(parse_documents(documents, setting, budget_), setting);
    EXPECT_EQ(found.lists, plain.lists);
    EXPECT_EQ(found.sum, plain.sum);
    EXPECT_EQ(found.documents, plain.documents);
    return parsed;
  }
  JoinedChunks joined(Parsed parsed, const ParseSetting& setting) {
    tabulate(parsed.chunks, setting, budget_);
    return join_chunks(parsed.chunks);
  }
  // Expects tokens in place for their upload, and their positions beside them.
  static void expect_to_stand(const ParsedChunk& chunk) {
    const std::span<const std::uint8_t> region = chunk.memory.region();
    if (region.empty()) return;
    EXPECT_GE(chunk.tokens().tokens.data(), region.data());
    EXPECT_LE(chunk.tokens().tokens.data() + chunk.tokens().tokens.size(), region.data() + region.size());
    const std::size_t behind = -chunk.tokens().tokens.size() % kSummedBytes;
    for (std::size_t i = 0; i < behind; ++i)
      EXPECT_EQ(chunk.tokens().tokens.data()[chunk.tokens().tokens.size() + i], 0);
    const std::span<const PositionRun> runs = chunk.tokens().position_runs;
    EXPECT_EQ(!runs.empty(), GetParam() && chunk.occurrence_count != 0);
    EXPECT_LE(runs.size(), std::max<std::size_t>(chunk.occurrence_count, 1));
    if (!runs.empty()) {
      EXPECT_LE(bytes_of(runs).data() + runs.size_bytes(), region.data() + region.size());
    }
  }
  static std::size_t in_slots(const Parsed& parsed) {
    return static_cast<std::size_t>(
        std::ranges::count_if(parsed.chunks, [](const ParsedChunk& chunk) { return !chunk.memory.region().empty(); }));
  }

  MemoryBudget budget_{kTestBudget};
  std::optional<PinnedSlotPool> slots_;
};

TEST_P(PinnedSlotParsing, LeavesTheSameContent) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    ParseSetting setting;
    setting.seed = seed;
    setting.limits.token_bytes = seed % 2 == 0 ? 100 + 50 * seed : std::size_t{2} << 20;
    setting.documents_in_task = 1 + seed % 7;
    testing::RandomDocuments shape;
    shape.count = 30;
    shape.long_document_words = 1500;
    shape.longest_token_bytes = seed % 3 == 0 ? 250 : 20;
    const Parsed parsed = check(testing::random_documents(seed, shape), setting, 64 * kMebibyte);
    EXPECT_EQ(in_slots(parsed), parsed.chunks.size()) << seed;
  }
}

// Each token begins a run: the one before it is a stop word or too long.
TEST_P(PinnedSlotParsing, LeavesTheSameContentOfARunForEachToken) {
  for (const std::size_t token_bytes : {16, 300, 20'000}) {
    for (const std::string_view passed : {"b ", "bbbbb "}) {
      SCOPED_TRACE(std::string(passed) + std::to_string(token_bytes));
      ParseSetting setting;
      setting.limits.token_bytes = token_bytes;
      setting.options.stop_words = "b\n";
      setting.options.max_term_bytes = 3;
      std::vector<OracleDocument> documents(3);
      for (OracleDocument& document : documents) {
        for (int i = 0; i < 15'000; ++i) (document.text += "a ") += passed;
      }
      const Parsed parsed = check(documents, setting, 4 * kMebibyte);
      EXPECT_GT(in_slots(parsed), 0U);
      setting.options.positions = GetParam();
      ParseSetting tables = setting;
      tables.form = ChunkForm::kTables;
      setting.form = ChunkForm::kTokens;
      Parsed plain = parse_documents(documents, setting, budget_);
      const std::size_t most = max_chunk_runs(setting.options, setting.limits);
      std::size_t found = 0;
      for (const ParsedChunk& chunk : plain.chunks) found = std::max(found, chunk.tokens().position_runs.size());
      EXPECT_LE(found, most);
      if (GetParam() && token_bytes != 16) {
        EXPECT_EQ(found, most);
      }
      EXPECT_EQ(joined(std::move(plain), setting).lists,
                join_chunks(parse_documents(documents, tables, budget_).chunks).lists);
    }
  }
}

TEST_P(PinnedSlotParsing, TakesOtherMemoryWhereNoSlotIsLeft) {
  ParseSetting setting;
  setting.documents_in_task = 1;
  const Parsed parsed = check(testing::random_documents(3, {}), setting, 4 * kMebibyte);
  EXPECT_GT(in_slots(parsed), 0U);
  EXPECT_LT(in_slots(parsed), parsed.chunks.size());
}

// The ids and lengths of documents of one word take more bytes than the tokens, and the last document fills the slot.
TEST_P(PinnedSlotParsing, HasOtherMemoryForArraysThatDoNotFitTheSlot) {
  std::vector<OracleDocument> documents(30000);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].text = "a";
    documents[i].id = "document number " + std::to_string(i);
  }
  for (int i = 0; i < 100000; ++i) documents.back().text += " b";
  const Parsed parsed = check(documents, {}, 8 * kMebibyte);
  ASSERT_EQ(parsed.chunks.size(), 1U);
  const ParsedChunk& chunk = parsed.chunks[0];
  ASSERT_EQ(in_slots(parsed), 1U);
  EXPECT_GT(chunk.memory.size(),
            chunk.documents.size() + chunk.tokens().lengths.size_bytes() + chunk.tokens().tokens.size());
  const std::span<const std::uint8_t> region = chunk.memory.region();
  EXPECT_TRUE(chunk.documents.data() < region.data() || chunk.documents.data() >= region.data() + region.size());
}

INSTANTIATE_TEST_SUITE_P(, PinnedSlotParsing, ::testing::Bool(),
                         [](const auto& test) { return std::string(test.param ? "Positions" : "Plain"); });

}  // namespace
}  // namespace spillway
