#include "indexer/parse/chunk_parser.hpp"

#include <gtest/gtest.h>

#include "corpora/document/field_table.hpp"
#include "indexer/parse/chunk_sizes.hpp"
#include "indexer/parse/make_chunk_parser.hpp"
#include "io/base/error.hpp"
#include "tests/indexer/parse/parsed_documents.hpp"
#include "tests/support/guarded_text.hpp"

namespace spillway {
namespace {

using testing::entries_of;
using testing::invert;
using testing::InvertedOracle;
using testing::join_chunks;
using testing::JoinedChunks;
using testing::kTestBudget;
using testing::OracleDocument;
using testing::parse_documents;
using testing::Parsed;
using testing::ParseSetting;
using testing::StoredEntry;

class ChunkParserTest : public ::testing::TestWithParam<ChunkForm> {
 protected:
  ChunkParserTest() { setting_.form = GetParam(); }

  // Parses, joins the chunks and compares all with the oracle.
  Parsed check(const std::vector<OracleDocument>& documents) {
    Parsed parsed = parse_documents(documents, setting_, budget_);
    const std::size_t most = max_chunk_bytes(setting_.options, setting_.limits, setting_.form);
    for (const ParsedChunk& chunk : parsed.chunks) EXPECT_LE(chunk.memory.size(), most);
    const InvertedOracle oracle = invert(documents, setting_.options);
    tabulate(parsed.chunks, setting_, budget_);
    const JoinedChunks joined = join_chunks(parsed.chunks);
    EXPECT_EQ(joined.lists, oracle.lists);
    EXPECT_EQ(joined.sum, oracle.sum());
    EXPECT_EQ(joined.occurrence_count, oracle.occurrence_count());
    EXPECT_EQ(parsed.stats.documents, documents.size());
    EXPECT_EQ(parsed.stats.overlong_tokens, oracle.overlong_tokens);
    bool ids = false;
    std::vector<StoredEntry> expected;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      expected.push_back(stored_entry(documents[i], oracle.lengths[i], setting_.options.store));
      ids |= !documents[i].id.empty();
    }
    EXPECT_EQ(joined.documents, expected);
    EXPECT_EQ(joined.has_stored_ids, ids);
    return parsed;
  }

  OracleDocument with_text(std::string text) const {
    OracleDocument document;
    document.text = std::move(text);
    return document;
  }

  ParseSetting setting_;
  MemoryBudget budget_{kTestBudget};
};

TEST_P(ChunkParserTest, MakesNoChunkOfNothing) { EXPECT_TRUE(check({}).chunks.empty()); }

TEST_P(ChunkParserTest, CountsTermsPerDocument) {
  const Parsed parsed = check({with_text("a b a"), with_text(""), with_text("b B c")});
  EXPECT_EQ(parsed.chunks.size(), 1U);
}

TEST_P(ChunkParserTest, KeepsTitleAndTextApart) {
  OracleDocument document;
  document.title = "ends in";
  document.text = "side";
  check({document});
  setting_.longest_fragment = 1;
  check({document});
}

TEST_P(ChunkParserTest, JoinsWordsOverFragments) {
  setting_.longest_fragment = 1;
  check({with_text("Straße and über-Wörter in 東京都に住んで ends Here"), with_text("next")});
}

TEST_P(ChunkParserTest, SealsAtTheEndOfATask) {
  setting_.documents_in_task = 2;
  EXPECT_EQ(check({with_text("a"), with_text("b"), with_text("c"), with_text("d"), with_text("e")}).chunks.size(), 3U);
}

TEST_P(ChunkParserTest, CutsALongDocumentIntoChunks) {
  setting_.limits.table_entries = 16;
  setting_.limits.stream_words = 32;
  setting_.limits.token_bytes = 500;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "word" + std::to_string(i % 997) + " ";
  OracleDocument document = with_text(text);
  document.id = "long";
  document.title = "A long one";
  document.url = "http://long";
  EXPECT_GT(check({with_text("before"), document, with_text("after")}).chunks.size(), 100U);
}

TEST_P(ChunkParserTest, TakesTermsOfEveryLength) {
  for (const std::uint32_t limit : {5U, 16U, 17U, 255U, 65535U}) {
    setting_.options.max_term_bytes = limit;
    std::string text;
    for (const std::size_t bytes :
         {1, 4, 5, 6, 15, 16, 17, 18, 254, 255, 256, 257, 4095, 4096, 65534, 65535, 65536, 65537, 200000}) {
      text += std::string(bytes, 'L') + " ";
      std::string other;
      while (other.size() + 2 <= bytes) other += "é";
      if (!other.empty() && bytes <= 65536) text += other + " ";
    }
    check({with_text(text), with_text(text)});
  }
}

TEST_P(ChunkParserTest, SealsWhenLongTermsFillTheArena) {
  std::string text;
  for (int i = 0; i < 12000; ++i) text += std::string(200, 'x') + std::to_string(i) + " ";
  setting_.limits.token_bytes = std::size_t{1} << 19;
  EXPECT_GT(check({with_text(text)}).chunks.size(), 3U);
  setting_.options.stemmer = "english";
  EXPECT_GT(check({with_text(text)}).chunks.size(), 3U);
}

TEST_P(ChunkParserTest, TakesTheLongestTermsIntoAFullTable) {
  setting_.options.max_term_bytes = 65535;
  setting_.limits.table_entries = 8;
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "w" + std::to_string(i) + " " + std::string(65530, 'y') + std::to_string(i) + " ";
  check({with_text(text)});
  setting_.options.stemmer = "porter";
  check({with_text(text)});
}

TEST_P(ChunkParserTest, BoundsChunksOfManyEmptyDocuments) {
  setting_.limits.document_bytes = 4096;
  const std::vector<OracleDocument> documents(10000);
  EXPECT_GT(check(documents).chunks.size(), 3U);
  setting_.limits.max_documents = 100;
  EXPECT_EQ(check(documents).chunks.size(), 100U);
}

// Table, stream and document stream are full at once.
TEST_P(ChunkParserTest, BoundsChunksOfManyShortDocuments) {
  setting_.limits = {4096, std::size_t{1} << 18, std::size_t{1} << 18, 1U << 20};
  std::vector<OracleDocument> documents(140000);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::string word = std::to_string(100000000000000 + i % 4090);
    documents[i].text = word + " x";
  }
  check(documents);
}

TEST_P(ChunkParserTest, BoundsChunksOfLongFields) {
  setting_.limits.document_bytes = 4096;
  std::vector<OracleDocument> documents(6);
  for (OracleDocument& document : documents) {
    document.id = std::string(65535, 'i');
    document.title = std::string(65535, '.');
    document.url = std::string(65535, 'u');
    document.date = std::string(65535, 'd');
  }
  check(documents);
}

TEST_P(ChunkParserTest, CutsFieldsAtACharacterAndCountsThem) {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    OracleDocument document = with_text("body");
    document.title = std::string(shift, 'a') + std::string(65530, ' ');
    while (document.title.size() < 70000) document.title += "𠮷";
    document.url = std::string(65535, 'u');
    document.date = std::string(65536, 'd');
    Parsed parsed = parse_documents({document}, setting_, budget_);
    EXPECT_EQ(parsed.stats.fields_cut, 2U);
    const std::vector<StoredEntry> entries = entries_of(parsed.chunks.at(0).documents);
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_LE(entries[0].title.size(), kMaxFieldBytes);
    EXPECT_GT(entries[0].title.size(), kMaxFieldBytes - 4);
    EXPECT_TRUE(document.title.starts_with(entries[0].title));
    EXPECT_NE(static_cast<std::uint8_t>(document.title[entries[0].title.size()]) & 0xC0, 0x80);
    EXPECT_EQ(entries[0].url, document.url);
    EXPECT_EQ(entries[0].date, std::string(65535, 'd'));
    // The whole title is indexed.
    tabulate(parsed.chunks, setting_, budget_);
    const JoinedChunks joined = join_chunks(parsed.chunks);
    EXPECT_EQ(joined.lists, invert({document}, setting_.options).lists);
  }
}

TEST_P(ChunkParserTest, StoresNothingButIdsWhenToldSo) {
  setting_.options.store = StorePolicy::kNone;
  OracleDocument document = with_text("text");
  document.id = "id";
  document.title = "title";
  document.url = "url";
  check({document});
}

TEST_P(ChunkParserTest, CountsRepairedDocuments) {
  testing::QuietObserver observer;
  std::size_t chunks = 0;
  const auto parser = make_chunk_parser(
      {setting_.form, setting_.options, setting_.limits, budget_, observer, [&](ParsedChunk&&) { ++chunks; }});
  for (const bool repaired : {true, false, true}) {
    DocumentFields fields;
    fields.repaired = repaired;
    parser->begin(fields, {});
    parser->end();
  }
  parser->skip(SkipReason::kBadJson, {"f", 1}, "bad");
  parser->consumed(7);
  parser->finish_task();
  EXPECT_EQ(parser->stats().repaired, 2U);
  EXPECT_EQ(observer.skips, 1U);
  EXPECT_EQ(observer.bytes, 7U);
  EXPECT_EQ(chunks, 1U);
}

// Text may end at the end of a page.
TEST_P(ChunkParserTest, ReadsNothingAfterAFragment) {
  std::mt19937_64 random(3);
  testing::QuietObserver observer;
  const auto parser =
      make_chunk_parser({setting_.form, setting_.options, setting_.limits, budget_, observer, [](ParsedChunk&&) {}});
  for (int i = 0; i < 200; ++i) {
    const std::string text = testing::random_text(random, random() % 30);
    const testing::GuardedText title(testing::random_text(random, random() % 4));
    const testing::GuardedText guarded(text);
    DocumentFields fields;
    fields.title = title.view();
    fields.has_title = true;
    parser->begin(fields, {});
    parser->text(guarded.view());
    parser->end();
  }
  parser->finish_task();
  EXPECT_EQ(parser->stats().documents, 200U);
}

TEST_P(ChunkParserTest, TakesManyTokensFromFewBytes) {
  setting_.limits.stream_words = 16;
  setting_.limits.token_bytes = 64;
  std::string text;
  for (int i = 0; i < 30000; ++i) text += i % 3 == 0 ? "ﷺ" : "½ ";
  check({with_text(text), with_text(text)});
  setting_.limits = ChunkLimits{};
  check({with_text(text), with_text(text)});
}

// All combinations of options, with limits so small that chunks end within documents, remembered words and fields.
TEST_P(ChunkParserTest, EqualsTheOracleOnRandomDocuments) {
  std::size_t chunks = 0, documents_cut = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    ContentOptions& options = setting_.options;
    options.tokenizer = random() % 2 == 0 ? Tokenizer::kUnicode : Tokenizer::kAscii;
    options.stop_words = random() % 2 == 0 ? "ed\nking\nni\nx2\nи\nさ\n" : "";
    options.stemmer = std::array{"none", "none", "porter", "english", "russian"}[random() % 5];
    options.max_term_bytes = std::array{255U, 5U, 16U, 20U, 65535U}[random() % 5];
    options.store = random() % 3 == 0 ? StorePolicy::kNone : StorePolicy::kMeta;
    ChunkLimits& limits = setting_.limits;
    limits.table_entries = std::array{8U, 9U, 17U, 64U, 1U << 15}[random() % 5];
    limits.stream_words = std::array{16U, 100U, 5000U, 1U << 20}[random() % 4];
    limits.document_bytes = std::array{64U, 1000U, 1U << 20}[random() % 3];
    limits.max_documents = std::array{1U, 3U, 1U << 20}[random() % 3];
    limits.token_bytes = std::array{16U, 300U, 5000U, 1U << 20}[random() % 4];
    setting_.longest_fragment = std::array{1U, 7U, 100U, 5000U, 1U << 20}[random() % 5];
    setting_.documents_in_task = 1 + random() % 30;
    setting_.seed = seed;
    testing::RandomDocuments shape;
    shape.count = random() % 25;
    shape.longest_token_bytes = std::array{20U, 300U, 5000U}[random() % 3];
    shape.long_document_words = 1000;
    const Parsed parsed = check(testing::random_documents(seed, shape));
    for (const ParsedChunk& chunk : parsed.chunks) documents_cut += chunk.last_document_open ? 1 : 0;
    chunks += parsed.chunks.size();
    if (HasFailure()) return;
  }
  EXPECT_GT(chunks, 3000U);
  EXPECT_GT(documents_cut, 1000U);
}

TEST_P(ChunkParserTest, PaysForItselfAndItsChunks) {
  setting_.limits = {4096, std::size_t{1} << 17, std::size_t{1} << 16, 1U << 16};
  const std::size_t own = chunk_parser_bytes(setting_.options, setting_.limits, setting_.form);
  MemoryBudget budget(own + (std::size_t{1} << 20));
  {
    testing::QuietObserver observer;
    std::vector<ParsedChunk> chunks;
    std::mt19937_64 random(1);
    const auto parser = make_chunk_parser({setting_.form, setting_.options, setting_.limits, budget, observer,
                                           [&](ParsedChunk&& chunk) { chunks.push_back(std::move(chunk)); }});
    EXPECT_LE(budget.used_bytes(), own + 3 * 4096);
    const std::size_t before = budget.used_bytes();
    feed(*parser, with_text(testing::random_text(random, 1000)), 1000, random);
    parser->finish_task();
    ASSERT_EQ(chunks.size(), 1U);
    feed(*parser, with_text("the next chunk"), 1000, random);
    EXPECT_GE(budget.used_bytes(), before + chunks[0].memory.size());
  }
  EXPECT_EQ(budget.used_bytes(), 0U);
  MemoryBudget little(own / 2);
  testing::QuietObserver observer;
  EXPECT_THROW(
      make_chunk_parser({setting_.form, setting_.options, setting_.limits, little, observer, [](ParsedChunk&&) {}}),
      BudgetError);
}

std::string form_name(const ::testing::TestParamInfo<ChunkForm>& form) {
  constexpr std::array kNames{"Postings", "Tables", "Tokens"};
  return kNames.at(static_cast<std::size_t>(form.param));
}
INSTANTIATE_TEST_SUITE_P(Forms, ChunkParserTest,
                         ::testing::Values(ChunkForm::kPostings, ChunkForm::kTables, ChunkForm::kTokens), form_name);

}  // namespace
}  // namespace spillway
