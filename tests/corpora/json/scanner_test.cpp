#include "corpora/json/scanner.hpp"

#include <gtest/gtest.h>

#include "corpora/json/fast_parser.hpp"
#include "tests/corpora/json/json_samples.hpp"

namespace spillway {
namespace {

class StringOutput final : public TextOutput {
 public:
  void append(std::string_view fragment) override { text += fragment; }
  std::string text;
};

class Scanner : public ::testing::Test {
 protected:
  bool scan(std::string_view record, std::size_t step = 1000) {
    scanner.reset();
    for (std::size_t at = 0; at < record.size(); at += step) scanner.feed(record.substr(at, step));
    return scanner.finish();
  }
  // The text of a string value, unescaped.
  std::string text(std::string_view record, std::string_view name) {
    const FieldValue& value = scanner.values()[table.find(name)];
    JsonStringDecoder decoder;
    StringOutput out;
    decoder.feed(record.substr(value.begin, value.end - value.begin), out);
    decoder.finish(out);
    EXPECT_EQ(out.text.size(), value.text_bytes);
    return out.text;
  }
  FieldTable table{FieldNames{}};
  JsonScanner scanner{table};
};

TEST_F(Scanner, FindsWhereValuesStand) {
  const std::string record = R"({"id": 12, "x": {"id": 3}, "text": "a\u0041", "title": null})";
  ASSERT_TRUE(scan(record));
  const FieldValue id = scanner.values()[table.find("id")];
  EXPECT_EQ(record.substr(id.begin, id.end - id.begin), "12");
  EXPECT_EQ(text(record, "text"), "aA");
  EXPECT_EQ(scanner.values()[table.find("title")].kind, ValueKind::kNull);
}

TEST_F(Scanner, RepairsLoneSurrogatesAndBrokenUtf8) {
  const std::string r(kReplacementCharacter);
  const std::pair<std::string, std::string> cases[] = {{"\\ud800", r},
                                                       {"\\udc00", r},
                                                       {"\\ud800x", r + "x"},
                                                       {"\\ud800\\n", r + "\n"},
                                                       {"\\ud800\\u0041", r + "A"},
                                                       {"\\ud800\\ud83d\\ude00", r + "\xF0\x9F\x98\x80"},
                                                       {"\\udc00\\ud800", r + r},
                                                       {"\xC3", r},
                                                       {"\xE2\x82\\n", r + "\n"},
                                                       {"\xE2\\u0082", r + "\xC2\x82"},
                                                       {"\\ud83d\xED\xB8\x80", r + r + r + r}};
  for (const auto& [escaped, expected] : cases) {
    const std::string record = "{\"text\":\"" + escaped + "\"}";
    ASSERT_TRUE(scan(record)) << escaped;
    EXPECT_TRUE(scanner.repaired());
    EXPECT_EQ(text(record, "text"), expected) << escaped;
  }
}

TEST_F(Scanner, SaysWhereAndWhy) {
  EXPECT_FALSE(scan("{\"a\" 1}"));
  EXPECT_EQ(scanner.error_offset(), 5u);
  EXPECT_EQ(scanner.error_detail(), "expected ':', found '1'");
  EXPECT_FALSE(scan("[1]"));
  EXPECT_EQ(scanner.error_detail(), "expected an object, found '['");
  EXPECT_FALSE(scan("{\"a\":1"));
  EXPECT_EQ(scanner.error_offset(), 6u);
  EXPECT_FALSE(scan("{\"a\":\"\x01\"}"));
  EXPECT_EQ(scanner.error_offset(), 6u);
  EXPECT_FALSE(scan("{} {}"));
  EXPECT_EQ(scanner.error_offset(), 3u);
}

TEST_F(Scanner, NeedsNoStackForNesting) {
  EXPECT_TRUE(scan("{\"a\":" + std::string(kMaxJsonDepth - 1, '[') + std::string(kMaxJsonDepth - 1, ']') + "}"));
  EXPECT_FALSE(scan("{\"a\":" + std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']') + "}"));
  EXPECT_FALSE(scan(std::string(1000000, '[')));
  EXPECT_FALSE(scan("{\"a\":" + std::string(1000000, '[')));
  EXPECT_EQ(scanner.error_offset(), 5 + kMaxJsonDepth - 1);
}

TEST_F(Scanner, ForgetsLongNames) {
  ASSERT_TRUE(scan("{\"" + std::string(1 << 20, 'i') + "\":1,\"idd\":2,\"i\":3}"));
  EXPECT_EQ(scanner.values()[table.find("id")].kind, ValueKind::kAbsent);
}

TEST_F(Scanner, ReadsAlikeHoweverItIsCut) {
  spillway::testing::JsonSamples samples(5);
  for (int round = 0; round < 5000; ++round) {
    const std::string record = samples.next();
    const bool good = scan(record);
    const auto offset = scanner.error_offset();
    const auto detail = scanner.error_detail();
    const bool repaired = scanner.repaired();
    std::vector<FieldValue> values(scanner.values().begin(), scanner.values().end());
    for (const std::size_t step : {1u, 2u, 7u}) {
      ASSERT_EQ(scan(record, step), good) << record;
      ASSERT_EQ(scanner.error_offset(), offset) << record;
      ASSERT_EQ(scanner.error_detail(), detail) << record;
      ASSERT_EQ(scanner.repaired(), repaired) << record;
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(scanner.values()[i].kind, values[i].kind);
        ASSERT_EQ(scanner.values()[i].begin, values[i].begin);
        ASSERT_EQ(scanner.values()[i].end, values[i].end);
        ASSERT_EQ(scanner.values()[i].text_bytes, values[i].text_bytes);
      }
    }
  }
}

}  // namespace
}  // namespace spillway
