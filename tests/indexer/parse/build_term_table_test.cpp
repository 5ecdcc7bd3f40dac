#include "indexer/parse/build_term_table.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <array>
#include <list>

#include "indexer/block/key_sorter.hpp"
#include "indexer/block/sorter.hpp"
#include "indexer/parse/chunk_sizes.hpp"
#include "io/base/error.hpp"
#include "io/file/memory_file.hpp"
#include "sort/sort_plan.hpp"
#include "sort/sorters.hpp"
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

Positions positions_of(const ParseSetting& setting) {
  return setting.options.positions ? Positions::kStored : Positions::kNone;
}

bool cuts_texts(const ParseSetting& setting) {
  return setting.options.store == StorePolicy::kText && setting.limits.text_bytes < 1U << 20;
}

std::string run_of(std::vector<ParsedChunk> chunks, const ParseSetting& setting) {
  Block block;
  block.chunks = std::move(chunks);
  block.last = true;
  BlockSortOptions options;
  options.positions = positions_of(setting);
  options.has_texts = setting.options.store == StorePolicy::kText;
  MemoryBudget budget(kTestBudget);
  MemoryFile file(budget, "run");
  BlockSortStats stats;
  tbb::task_arena arena(1);
  const auto sorter = make_key_block_sorter(*record_sorters().front(), auto_string_sorter());
  arena.execute([&] { sorter->write_run(block, file, options, budget, stats); });
  std::string bytes(file.size(), '\0');
  file.read_exactly(0, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
  return bytes;
}

// Tokens by document, without their zeros.
std::vector<std::vector<std::string>> tokens_of(const ChunkTokens& chunk) {
  std::vector<std::vector<std::string>> documents;
  std::size_t at = 0;
  for (const std::uint32_t length : chunk.lengths) {
    std::vector<std::string>& tokens = documents.emplace_back();
    while (tokens.size() < length) {
      while (chunk.tokens[at] == 0) ++at;
      tokens.emplace_back(reinterpret_cast<const char*>(chunk.tokens.data()) + at);
      at += tokens.back().size();
    }
  }
  while (at < chunk.tokens.size() && chunk.tokens[at] == 0) ++at;
  EXPECT_EQ(at, chunk.tokens.size());
  return documents;
}

class BuildTermTableTest : public ::testing::Test {
 protected:
  Parsed parse(ChunkForm form, const std::vector<OracleDocument>& documents) {
    setting_.form = form;
    return parse_documents(documents, setting_, budget_);
  }

  // Parses to tokens and to tables, and expects the same blocks, wherever their chunks end, with a kernel that does not
  // pack tokens and with the fastest, which does where the CPU can.
  void check(const std::vector<OracleDocument>& documents) {
    const bool is_ascii = setting_.options.tokenizer == Tokenizer::kAscii;
    const auto kernels = all_token_kernels(is_ascii ? WordBytes::kAlphanumeric : WordBytes::kWithHighBytes);
    for (const TokenKernel* kernel : {&kernels.front(), &kernels.back()}) {
      SCOPED_TRACE(kernel->name);
      setting_.token_kernel = kernel;
      check_kernel(documents);
    }
    setting_.token_kernel = nullptr;
  }

  void check_kernel(const std::vector<OracleDocument>& documents) {
    std::list<MemoryBudget> budgets;  // of the chunks
    Parsed expected = parse(ChunkForm::kTables, documents);
    Parsed parsed = parse(ChunkForm::kTokens, documents);
    for (ParsedChunk& chunk : parsed.chunks) {
      const std::span<const std::uint8_t> tokens = chunk.tokens().tokens;
      EXPECT_TRUE(tokens.empty() || tokens.back() == 0);
      EXPECT_LE(tokens.size(), token_capacity(setting_.options, setting_.limits));
      const TabulationBytes bound = tabulation_bytes(chunk, positions_of(setting_));
      const std::size_t used = budget_.used_bytes();
      chunk = build_term_table(std::move(chunk), positions_of(setting_),
                               budgets.emplace_back(bound.result + bound.scratch));
      EXPECT_LE(budgets.back().used_bytes(), bound.result);
      EXPECT_LT(budget_.used_bytes(), used) << "what the tokens held is given back";
      chunks_ += 1;
    }
    const JoinedChunks joined = join_chunks(parsed.chunks);
    const JoinedChunks wanted = join_chunks(expected.chunks);
    EXPECT_EQ(joined.lists, wanted.lists);
    EXPECT_EQ(joined.documents, wanted.documents);
    EXPECT_EQ(joined.sum, wanted.sum);
    EXPECT_EQ(parsed.stats.overlong_tokens, expected.stats.overlong_tokens);
    if (cuts_texts(setting_)) return;  // not always at the same place
    const bool same = run_of(std::move(parsed.chunks), setting_) == run_of(std::move(expected.chunks), setting_);
    EXPECT_TRUE(same) << "the runs' bytes";
  }

  ParseSetting setting_;
  MemoryBudget budget_{kTestBudget};
  std::size_t chunks_ = 0;
};

TEST_F(BuildTermTableTest, KeepsTokensAsTheyStand) {
  OracleDocument one, two;
  one.text = "The QUICK-brown fox: 3 Straßen, 42";
  two.title = "Ein Titel";
  two.text = "(a_b)";
  const Parsed parsed = parse(ChunkForm::kTokens, {one, {}, two});
  ASSERT_EQ(parsed.chunks.size(), 1U);
  EXPECT_EQ(tokens_of(parsed.chunks[0].tokens()),
            (std::vector<std::vector<std::string>>{
                {"the", "quick", "brown", "fox", "3", "strassen", "42"}, {}, {"ein", "titel", "a", "b"}}));
}

TEST_F(BuildTermTableTest, SumsOnlyLongTokensWhileParsing) {
  OracleDocument document;
  document.text = "short sixteen1bytes16 ";
  setting_.options.positions = true;
  EXPECT_EQ(parse(ChunkForm::kTokens, {document}).chunks.at(0).sum, ContentChecksum{});
  document.text += "seventeenbytes-17 seventeenbytes017";
  ContentChecksum expected;
  expected.add(hash_term("seventeenbytes017"), 1);
  expected.add_positions(hash_term("seventeenbytes017"), position_value(4));
  EXPECT_EQ(parse(ChunkForm::kTokens, {document}).chunks.at(0).sum, expected);
}

TEST_F(BuildTermTableTest, GivesTheBlocksOfTablesOnRandomDocuments) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    ContentOptions& options = setting_.options;
    options.tokenizer = random() % 2 == 0 ? Tokenizer::kUnicode : Tokenizer::kAscii;
    options.stop_words = random() % 3 == 0 ? "ed\nking\nni\nx2\nи\nさ\n" : "";
    options.stemmer = std::array{"none", "none", "none", "english", "russian"}[random() % 5];
    options.max_term_bytes = std::array{255U, 5U, 16U, 20U, 65535U}[random() % 5];
    options.store = std::array{StorePolicy::kNone, StorePolicy::kMeta, StorePolicy::kText}[random() % 3];
    options.positions = random() % 2 == 0;
    ChunkLimits& limits = setting_.limits;
    limits.token_bytes = std::array{16U, 300U, 5000U, 1U << 20}[random() % 4];
    limits.table_entries = std::array{8U, 64U, 1U << 15}[random() % 3];
    limits.document_bytes = std::array{64U, 1000U, 1U << 20}[random() % 3];
    limits.text_bytes = std::array{100U, 1U << 20}[random() % 2];
    setting_.longest_fragment = std::array{1U, 7U, 100U, 5000U, 1U << 20}[random() % 5];
    setting_.documents_in_task = 1 + random() % 30;
    setting_.seed = seed;
    testing::RandomDocuments shape;
    shape.count = random() % 25;
    shape.longest_token_bytes = std::array{20U, 300U, 5000U}[random() % 3];
    shape.long_document_words = 1000;
    check(testing::random_documents(seed, shape));
    if (HasFailure()) return;
  }
  EXPECT_GT(chunks_, 3000U);
}

// Ranges, chunks and calls of text() end in every part of a word.
TEST_F(BuildTermTableTest, GivesTheBlocksOfTablesWhereverRangesEnd) {
  for (const char* word : {"word", "sixteen1bytes016", "seventeenbytes017", "wörter", "слово", "中文", "x"}) {
    for (std::size_t shift = 0; shift < 20; ++shift) {
      OracleDocument document;
      document.text.assign(4090 - shift, ' ');
      for (int i = 0; i < 2000; ++i) document.text.append(word).append(i % 3 == 0 ? " " : ", ");
      setting_.longest_fragment = shift % 2 == 0 ? 1000000 : 500;
      setting_.limits.token_bytes = shift % 3 == 0 ? 4096 : 1 << 20;
      setting_.options.positions = shift % 4 == 0;
      setting_.seed = shift;
      check({document, document});
      if (HasFailure()) return;
    }
  }
}

TEST_F(BuildTermTableTest, EndsAChunkBeforeATableCouldBeTooSmall) {
  OracleDocument document;
  for (int i = 0; i < 300000; ++i) document.text += i % 2 == 0 ? "a " : "b ";
  const Parsed parsed = parse(ChunkForm::kTokens, {document, document});
  ASSERT_EQ(parsed.chunks.size(), 3U);
  for (const ParsedChunk& chunk : parsed.chunks) EXPECT_LE(chunk.occurrence_count, kMaxChunkTokens);
  check({document, document});
}

TEST_F(BuildTermTableTest, RefusesTokensThatAreNotThoseOfParsing) {
  OracleDocument document;
  document.text = "some tokens, averyverylongtokenindeed";
  const auto checksums = [](ParsedChunk& chunk) -> ChunkTransferChecksums& {
    return std::get<ChunkTokens>(chunk.content).checksums;
  };
  const auto broken = [&](auto&& harm) {
    Parsed parsed = parse(ChunkForm::kTokens, {document});
    harm(parsed.chunks.at(0));
    EXPECT_THROW(build_term_table(std::move(parsed.chunks[0]), Positions::kNone, budget_), FormatError);
  };
  broken([](ParsedChunk& chunk) { chunk.memory.data()[2] ^= 1; });
  broken([&](ParsedChunk& chunk) { checksums(chunk).tokens.sum += 1; });
  broken([&](ParsedChunk& chunk) { checksums(chunk).tokens.keyed += 1; });
  broken([&](ParsedChunk& chunk) { checksums(chunk).lengths.keyed += 1; });
  broken([&](ParsedChunk& chunk) { checksums(chunk).position_runs.sum += 1; });
  broken([](ParsedChunk& chunk) { chunk.occurrence_count += 1; });
  broken([](ParsedChunk& chunk) { chunk.sum.lanes[0] ^= 1; });
  // Checksums that agree with the damaged tokens.
  const auto recount = [&](ParsedChunk& chunk, std::size_t at, std::uint8_t byte) {
    chunk.memory.data()[at] = byte;
    checksums(chunk).tokens = sum_words(chunk.tokens().tokens);
  };
  broken([&](ParsedChunk& chunk) { recount(chunk, 4, 'x'); });                                 // a missing token
  broken([&](ParsedChunk& chunk) { recount(chunk, 2, 0); });                                   // a surplus token
  broken([&](ParsedChunk& chunk) { recount(chunk, 20, 'x'); });                                // another long one
  broken([&](ParsedChunk& chunk) { recount(chunk, chunk.tokens().tokens.size() - 1, 'x'); });  // no end
  broken([&](ParsedChunk& chunk) {
    const_cast<std::uint32_t&>(chunk.tokens().lengths[0]) += 1;
    checksums(chunk).lengths = sum_words(bytes_of(chunk.tokens().lengths));
    chunk.occurrence_count += 1;
  });
}

}  // namespace
}  // namespace spillway
