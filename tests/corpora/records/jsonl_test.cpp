#include "corpora/records/jsonl.hpp"

#include <gtest/gtest.h>

#include "tests/corpora/json/json_samples.hpp"
#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

ReadResult read_jsonl(std::string_view bytes) { return read_input(bytes, setup_of(CorpusFormat::kJsonl)); }

SkipReason reason_of(const std::string& record) {
  const ReadResult result = read_jsonl(record);
  EXPECT_EQ(result.documents.size(), 0u) << record;
  EXPECT_EQ(result.skips.size(), 1u) << record;
  return result.skips.empty() ? SkipReason::kCount : result.skips[0].reason;
}

TEST(JsonlRecords, ReadsFields) {
  const auto result = read_jsonl(R"({"id":"a","title":"T","text":"x\ny","url":"u","date":"d"})");
  ASSERT_EQ(result.documents.size(), 1u);
  const ReadDocument& document = result.documents[0];
  EXPECT_EQ(document.id, "a");
  EXPECT_EQ(document.title, "T");
  EXPECT_EQ(document.text, "x\ny");
  EXPECT_EQ(document.url, "u");
  EXPECT_EQ(document.date, "d");
  EXPECT_TRUE(document.has_title && document.has_url && document.has_date);
  EXPECT_FALSE(document.repaired);
}

TEST(JsonlRecords, TakesTheFirstNameThatIsThere) {
  const auto result = read_jsonl(
      "{\"_id\":\"c\",\"docid\":\"b\",\"body\":\"4\",\"content\":\"3\"}\n{\"id\":null,\"_id\":7,\"text\":null,\"body\":"
      "5}\n");
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"b", "7"}));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"3", "5"}));
}

TEST(JsonlRecords, FollowsTheNamesGiven) {
  ReadSetup setup = setup_of(CorpusFormat::kJsonl);
  setup.options.fields = {{"key"}, {"key"}, {"a", "b"}, {}, {}};
  const auto result = read_input("{\"key\":\"k\",\"id\":1,\"text\":\"no\",\"b\":\"yes\"}\n", setup);
  ASSERT_EQ(result.documents.size(), 1u);
  EXPECT_EQ(result.documents[0].id, "k");
  EXPECT_EQ(result.documents[0].title, "k");
  EXPECT_EQ(result.documents[0].text, "yes");
}

TEST(JsonlRecords, TakesTheLastOfDuplicateNames) {
  const auto result = read_jsonl(
      "{\"id\":[],\"text\":\"1\",\"id\":\"a\",\"text\":\"2\"}\n{\"id\":1,\"text\":\"1\",\"text\":null,\"title\":"
      "\"t\"}");
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"a", "1"}));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"2", ""}));
}

TEST(JsonlRecords, SkipsWithTheReason) {
  EXPECT_EQ(reason_of("{\"id\":\"a\",\"text\":\"b\""), SkipReason::kBadJson);
  EXPECT_EQ(reason_of("[1,2]"), SkipReason::kBadJson);
  EXPECT_EQ(reason_of("{\"text\":\"b\"}"), SkipReason::kMissingId);
  EXPECT_EQ(reason_of("{\"id\":null,\"text\":\"b\"}"), SkipReason::kMissingId);
  EXPECT_EQ(reason_of("{\"id\":\"\",\"_id\":\"x\",\"text\":\"b\"}"), SkipReason::kMissingId);
  EXPECT_EQ(reason_of("{\"id\":true,\"text\":\"b\"}"), SkipReason::kBadField);
  EXPECT_EQ(reason_of("{\"id\":{},\"text\":\"b\"}"), SkipReason::kBadField);
  EXPECT_EQ(reason_of("{\"id\":\"a\",\"title\":[],\"text\":\"b\"}"), SkipReason::kBadField);
  EXPECT_EQ(reason_of("{\"id\":\"a\",\"text\":false}"), SkipReason::kBadField);
  EXPECT_EQ(reason_of("{\"id\":\"a\",\"text\":\"b\",\"url\":[]}"), SkipReason::kBadField);
  EXPECT_EQ(reason_of("{\"id\":\"a\"}"), SkipReason::kMissingText);
  EXPECT_EQ(reason_of("{\"id\":\"" + std::string(65536, 'i') + "\",\"text\":\"b\"}"), SkipReason::kIdTooLong);
  EXPECT_EQ(reason_of("{\"id\":\"a\",\"x\":" + std::string(1000000, '[') + "}"), SkipReason::kBadJson);
  EXPECT_EQ(reason_of(std::string("{\"id\":\"a\",\"text\":\"b\0\"}", 22)), SkipReason::kBadJson);
}

TEST(JsonlRecords, TakesTheLongestId) {
  const std::string id(65535, 'i');
  EXPECT_EQ(read_jsonl("{\"id\":\"" + id + "\",\"text\":\"b\"}").ids(), std::vector<std::string>{id});
}

TEST(JsonlRecords, SaysWhereARecordIsBad) {
  const auto result = read_jsonl("{\"id\":1,\"text\":\"a\"}\n{\"id\":2 \"text\":\"b\"}\n{\"id\":3}\n");
  ASSERT_EQ(result.skips.size(), 2u);
  EXPECT_EQ(result.skips[0].offset, 28u);
  EXPECT_EQ(result.skips[0].detail, "expected ',' or '}', found '\"'");
  EXPECT_EQ(result.skips[1].offset, 40u);
}

TEST(JsonlRecords, IgnoresBlankLinesAndTakesCrlfAndTheLastLine) {
  const auto result = read_jsonl("\n\r\n  \t\n{\"id\":1,\"text\":\"a\"}\r\n\r\n{\"id\":2,\"text\":\"b\"}");
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"1", "2"}));
  EXPECT_TRUE(result.skips.empty());
}

TEST(JsonlRecords, FindsBrokenUtf8InAnyRecordOfABlock) {
  for (int broken = 0; broken < 6; ++broken) {
    std::string block;
    for (int i = 0; i < 6; ++i) {
      block += "{\"id\":" + std::to_string(i) + ",\"text\":\"" + (i % 3 == 0 ? "ascii" : "\xC3\xA9");
      if (i == broken) block += "\xC3";
      block += "\"}\n";
    }
    const auto result = read_jsonl(block);
    ASSERT_EQ(result.documents.size(), 6u);
    for (int i = 0; i < 6; ++i) {
      const ReadDocument& document = result.documents[static_cast<std::size_t>(i)];
      EXPECT_EQ(document.repaired, i == broken) << broken;
      EXPECT_EQ(document.text, std::string(i % 3 == 0 ? "ascii" : "\xC3\xA9") + (i == broken ? "\xEF\xBF\xBD" : ""));
    }
  }
}

TEST(JsonlRecords, SkipsTheByteOrderMark) {
  const auto result = read_jsonl("\xEF\xBB\xBF{\"id\":1,\"text\":\"a\"}\n");
  ASSERT_EQ(result.documents.size(), 1u);
  EXPECT_EQ(result.documents[0].offset, 3u);
}

TEST(JsonlRecords, RepairsBrokenUtf8) {
  const auto result = read_jsonl(
      "{\"id\":\"a\xFF\",\"text\":\"\xC3\"}\n{\"id\":1,\"text\":\"good\"}\n{\"id\":2,\"text\":\"\",\"x\":\"\\ud800\"}"
      "\n");
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"a\xEF\xBF\xBD", "1", "2"}));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"\xEF\xBF\xBD", "good", ""}));
  EXPECT_TRUE(result.documents[0].repaired);
  EXPECT_FALSE(result.documents[1].repaired);
  EXPECT_TRUE(result.documents[2].repaired);
}

TEST(JsonlRecords, PutsALongTitleIntoTheText) {
  const std::string title(65535, 't');
  const auto result = read_jsonl("{\"id\":1,\"title\":\"" + title + "\",\"text\":\"x\"}\n{\"id\":2,\"title\":\"" +
                                 title + "y\",\"text\":\"x\"}\n{\"id\":3,\"title\":\"" + title + "y\"}\n");
  ASSERT_EQ(result.documents.size(), 3u);
  EXPECT_EQ(result.documents[0].title, title);
  EXPECT_EQ(result.documents[0].text, "x");
  EXPECT_FALSE(result.documents[1].has_title);
  EXPECT_EQ(result.documents[1].text, title + "y\nx");
  EXPECT_EQ(result.documents[2].text, title + "y\n");
}

TEST(JsonlRecords, CutsALongUrlBetweenCharacters) {
  const auto result =
      read_jsonl("{\"id\":1,\"text\":\"x\",\"url\":\"" + std::string(65540, 'u') + "\xE2\x82\xAC\xE2\x82\xAC\"}\n");
  ASSERT_EQ(result.documents.size(), 1u);
  EXPECT_GT(result.documents[0].url.size(), kMaxFieldBytes);
  EXPECT_LT(result.documents[0].url.size(), kMaxFieldBytes + 16);
}

TEST(JsonlRecords, SkipsWhatIsTooLong) {
  ReadSetup setup = setup_of(CorpusFormat::kJsonl);
  setup.options.max_document_bytes = 10;
  const auto result = read_input(
      "{\"id\":1,\"title\":\"12345\",\"text\":\"67890\"}\n{\"id\":2,\"title\":\"12345\",\"text\":\"678901\"}\n"
      "{\"id\":3,\"text\":\"\\u0041\\u0041\\u0041\"}\n",
      setup);
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"1", "3"}));
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kDocumentTooLong});
}

// The limit applies to the text, not to its escapes.
TEST(JsonlRecords, EscapesDoNotMakeADocumentTooLong) {
  ReadSetup setup = setup_of(CorpusFormat::kJsonl, std::size_t{1} << 16);
  setup.options.max_document_bytes = 4000000;
  std::string text;
  for (int i = 0; i < 4000000; ++i) text += "\\n";
  const auto result =
      read_input("{\"id\":1,\"text\":\"" + text + "\"}\n{\"id\":2,\"text\":\"" + text + ".\"}\n", setup);
  EXPECT_EQ(result.ids(), std::vector<std::string>{"1"});
  EXPECT_EQ(result.texts(), std::vector<std::string>{std::string(4000000, '\n')});
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kDocumentTooLong});
}

TEST(JsonlRecords, AnyLimitOnDocumentsIsGood) {
  ReadSetup setup = setup_of(CorpusFormat::kJsonl);
  setup.options.max_document_bytes = ~std::uint64_t{0};
  EXPECT_EQ(read_input("{\"id\":1,\"text\":\"x\"}\n", setup).documents.size(), 1u);
}

// The fast parser, the scanner in memory and the scanner over a file agree on any record.
TEST(JsonlRecords, FastAndSlowPathsAgree) {
  JsonSamples samples(23);
  std::string lines;
  for (int i = 0; i < 4000; ++i) lines += samples.next() + "\n";
  const ReadResult expected = read_jsonl(lines);
  EXPECT_GT(expected.documents.size(), 500u);
  EXPECT_GT(expected.skips.size(), 500u);
  for (const std::size_t buffer_bytes : {64u, 200u}) {
    expect_same_documents(read_input(lines, setup_of(CorpusFormat::kJsonl, buffer_bytes)), expected);
  }
  for (const std::size_t record_bytes : {65u, 300u, 1u << 20}) {
    ReadSetup setup = setup_of(CorpusFormat::kJsonl, 64);
    setup.limits.record_bytes = record_bytes;
    expect_same_documents(read_input(lines, setup), expected);
  }
  // A broken byte in each block sends its records through the scanner.
  const ReadResult broken = read_jsonl(lines + "{\"id\":\"\xFF\",\"text\":\"\"}\n");
  ASSERT_EQ(broken.documents.size(), expected.documents.size() + 1);
  for (std::size_t i = 0; i < expected.documents.size(); ++i) {
    ReadDocument document = broken.documents[i];
    document.path = expected.documents[i].path;
    ASSERT_EQ(document, expected.documents[i]);
  }
}

}  // namespace
}  // namespace spillway
