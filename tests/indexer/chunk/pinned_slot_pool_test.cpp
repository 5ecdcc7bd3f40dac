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

TEST(PinnedSlotPool, HandOutEachPieceOnce) {
  for (const std::size_t piece_bytes : {std::size_t{1000}, std::size_t{64} << 10, 3 * kMebibyte}) {
    MemoryBudget budget(kTestBudget);
    PinnedSlotPool slabs(budget, 150 * kMebibyte, piece_bytes);
    EXPECT_EQ(budget.used_bytes(), 150 * kMebibyte);
    EXPECT_GT(slabs.piece_count() * piece_bytes, 140 * kMebibyte);
    std::vector<PinnedSlotPool::Piece> pieces;
    std::set<const std::uint8_t*> begins, slab_begins;
    while (true) {
      PinnedSlotPool::Piece piece = slabs.take();
      if (piece.empty()) break;
      EXPECT_EQ(piece.span().size(), piece_bytes);
      EXPECT_GE(piece.span().data(), piece.slab().data());
      EXPECT_LE(&piece.span().back(), &piece.slab().back());
      begins.insert(piece.span().data());
      slab_begins.insert(piece.slab().data());
      pieces.push_back(std::move(piece));
    }
    EXPECT_EQ(pieces.size(), slabs.piece_count());
    EXPECT_EQ(slab_begins.size(), 5U);
    ASSERT_EQ(begins.size(), pieces.size());
    const auto next = std::adjacent_find(begins.begin(), begins.end(), [&](const auto* a, const auto* b) {
      return static_cast<std::size_t>(b - a) < piece_bytes;
    });
    EXPECT_EQ(next, begins.end()) << "two pieces overlap";
    pieces.pop_back();
    EXPECT_FALSE(slabs.take().empty());
  }
}

// So that no more pages are taken than ever were in use together.
TEST(PinnedSlotPool, GiveThePieceThatCameBackLast) {
  MemoryBudget budget(kTestBudget);
  PinnedSlotPool slabs(budget, 16 * kMebibyte, kMebibyte);
  PinnedSlotPool::Piece first = slabs.take(), second = slabs.take();
  const std::uint8_t* const at = first.span().data();
  first = {};
  EXPECT_EQ(slabs.take().span().data(), at);
  PinnedSlotPool::Piece third = slabs.take();
  EXPECT_EQ(third.span().data(), at);
  third = std::move(second);
  EXPECT_NE(third.span().data(), at);
  EXPECT_EQ(PinnedSlotPool::Piece().span().size(), 0U);
}

TEST(PinnedSlotPool, AreSharedByThreads) {
  MemoryBudget budget(kTestBudget);
  PinnedSlotPool slabs(budget, 4 * kMebibyte, 4096);
  std::vector<std::thread> threads;
  for (std::uint8_t thread = 1; thread <= 4; ++thread) {
    threads.emplace_back([&slabs, thread] {
      std::vector<PinnedSlotPool::Piece> held;
      for (int i = 0; i < 3000; ++i) {
        PinnedSlotPool::Piece piece = slabs.take();
        if (!piece.empty()) {
          std::ranges::fill(piece.span(), thread);
          held.push_back(std::move(piece));
        }
        if (held.size() > 200) {
          for (const PinnedSlotPool::Piece& mine : held) {
            EXPECT_TRUE(std::ranges::all_of(mine.span(), [&](std::uint8_t byte) { return byte == thread; }));
          }
          held.clear();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(PinnedSlotPool, AreRefusedWhereTheBudgetHasNoRoom) {
  MemoryBudget budget(16 * kMebibyte);
  EXPECT_THROW(PinnedSlotPool(budget, 17 * kMebibyte, kMebibyte), BudgetError);
}

class SlabParsing : public ::testing::TestWithParam<bool> {
 protected:
  // Parses with so many bytes of slabs and without any: the same content. Returns the chunks.
  Parsed check(const std::vector<OracleDocument>& documents, ParseSetting setting, std::size_t slab_bytes) {
    setting.form = ChunkForm::kTokens;
    setting.options.positions = GetParam();
    const JoinedChunks plain = joined(parse_documents(documents, setting, budget_), setting);
    slabs_.emplace(budget_, slab_bytes, slab_piece_bytes(setting.options, setting.limits));
    setting.slabs = &*slabs_;
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
  // As it goes up.
  static void expect_to_stand(const ParsedChunk& chunk) {
    const std::span<const std::uint8_t> slab = chunk.memory.slab();
    if (slab.empty()) return;
    EXPECT_GE(chunk.tokens().tokens.data(), slab.data());
    EXPECT_LE(chunk.tokens().tokens.data() + chunk.tokens().tokens.size(), slab.data() + slab.size());
    const std::size_t behind = -chunk.tokens().tokens.size() % kSummedBytes;
    for (std::size_t i = 0; i < behind; ++i)
      EXPECT_EQ(chunk.tokens().tokens.data()[chunk.tokens().tokens.size() + i], 0);
    EXPECT_EQ(chunk.tokens().positions.size(), GetParam() ? chunk.occurrence_count : 0);
    if (!chunk.tokens().positions.empty()) {
      EXPECT_LE(bytes_of(chunk.tokens().positions).data() + chunk.tokens().positions.size_bytes(),
                slab.data() + slab.size());
    }
  }
  static std::size_t in_slabs(const Parsed& parsed) {
    return static_cast<std::size_t>(
        std::ranges::count_if(parsed.chunks, [](const ParsedChunk& chunk) { return !chunk.memory.slab().empty(); }));
  }

  MemoryBudget budget_{kTestBudget};
  std::optional<PinnedSlotPool> slabs_;
};

TEST_P(SlabParsing, LeavesTheSameContent) {
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
    EXPECT_EQ(in_slabs(parsed), parsed.chunks.size()) << seed;
  }
}

TEST_P(SlabParsing, TakesOtherMemoryWhereNoPieceIsLeft) {
  ParseSetting setting;
  setting.documents_in_task = 1;
  const Parsed parsed = check(testing::random_documents(3, {}), setting, 4 * kMebibyte);
  EXPECT_GT(in_slabs(parsed), 0U);
  EXPECT_LT(in_slabs(parsed), parsed.chunks.size());
}

// Documents of a word each have more bytes of ids and lengths than of tokens, and the last one fills the piece.
TEST_P(SlabParsing, HasOtherMemoryForWhatDoesNotFitBehindTheTokens) {
  std::vector<OracleDocument> documents(30000);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].text = "a";
    documents[i].id = "document number " + std::to_string(i);
  }
  for (int i = 0; i < 100000; ++i) documents.back().text += " b";
  const Parsed parsed = check(documents, {}, 8 * kMebibyte);
  ASSERT_EQ(parsed.chunks.size(), 1U);
  const ParsedChunk& chunk = parsed.chunks[0];
  ASSERT_EQ(in_slabs(parsed), 1U);
  EXPECT_GT(chunk.memory.size(),
            chunk.documents.size() + chunk.tokens().lengths.size_bytes() + chunk.tokens().tokens.size());
  const std::span<const std::uint8_t> slab = chunk.memory.slab();
  EXPECT_TRUE(chunk.documents.data() < slab.data() || chunk.documents.data() >= slab.data() + slab.size());
}

INSTANTIATE_TEST_SUITE_P(, SlabParsing, ::testing::Bool(),
                         [](const auto& test) { return std::string(test.param ? "Positions" : "Plain"); });

}  // namespace
}  // namespace spillway
