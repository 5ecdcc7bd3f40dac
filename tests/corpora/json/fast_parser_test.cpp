#include "corpora/json/fast_parser.hpp"

#include <gtest/gtest.h>

#include <simdjson.h>
#include <array>

#include "corpora/json/scanner.hpp"
#include "tests/corpora/json/json_samples.hpp"

namespace spillway {
namespace {

class Fast {
 public:
  explicit Fast(UnescapeFunction unescape) : parser_(table_, unescape) {}

  bool parse(std::string_view record) {
    bytes_ = std::string(record) + "\n" + std::string(kRecordPadding, '"');
    scratch_.assign(record.size() + kRecordPadding, '\0');
    return parser_.parse(std::string_view(bytes_).substr(0, record.size()), scratch_.data()) == record.size();
  }
  bool may_have_high_bytes() const { return parser_.may_have_high_bytes(); }
  const FieldTable& table() const { return table_; }
  const FieldValue& value(std::string_view name) const { return parser_.values()[table_.find(name)]; }
  std::string_view text(std::string_view name) const { return parser_.text(table_.find(name)); }

 private:
  FieldTable table_{FieldNames{}};
  FastJsonParser parser_;
  std::string bytes_, scratch_;
};

class FastJson : public ::testing::TestWithParam<UnescapeFunction> {
 protected:
  void SetUp() override {
    if (GetParam() == unescape_string_avx2 && !__builtin_cpu_supports("avx2")) GTEST_SKIP() << "no AVX2 here";
    if (GetParam() == unescape_string_avx512 && !has_unescape_avx512()) GTEST_SKIP() << "no AVX-512 VBMI2 here";
  }
  Fast fast{GetParam()};
};

TEST_P(FastJson, ReadsStringsNumbersAndOthers) {
  ASSERT_TRUE(
      fast.parse(R"( { "id" : -1.50e+3 , "title":"","text":"a\n\"b\"\u00e9\ud83d\ude00", "url":null,"date":[{}]} )"));
  EXPECT_EQ(fast.text("id"), "-1.50e+3");
  EXPECT_EQ(fast.value("id").kind, ValueKind::kNumber);
  EXPECT_EQ(fast.value("title").kind, ValueKind::kString);
  EXPECT_EQ(fast.text("title"), "");
  EXPECT_EQ(fast.text("text"), "a\n\"b\"\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(fast.value("url").kind, ValueKind::kNull);
  EXPECT_EQ(fast.value("date").kind, ValueKind::kContainer);
  EXPECT_EQ(fast.value("body").kind, ValueKind::kAbsent);
}

TEST_P(FastJson, TakesTheLastOfDuplicateNames) {
  ASSERT_TRUE(fast.parse(R"({"id":"a","id":{"id":"x"},"i\u0064":"b"})"));
  EXPECT_EQ(fast.text("id"), "b");
}

TEST_P(FastJson, UnescapesLongStrings) {
  for (std::size_t length = 0; length < 100; ++length) {
    const std::string plain(length, 'x');
    std::string escaped = plain, expected = plain;
    escaped.append("\\t").append(plain);
    expected.append("\t").append(plain);
    ASSERT_TRUE(fast.parse("{\"text\":\"" + escaped + "\"}"));
    EXPECT_EQ(fast.text("text"), expected);
  }
}

TEST_P(FastJson, TellsOfEveryHighByte) {
  for (std::size_t length = 0; length < 150; ++length) {
    ASSERT_TRUE(fast.parse("{\"text\":\"" + std::string(length, 'x') + "\"}"));
    EXPECT_FALSE(fast.may_have_high_bytes()) << length;
    for (const std::size_t at : {std::size_t{0}, length / 2, length}) {
      std::string text(length, 'x');
      text.insert(at, "\x80");
      ASSERT_TRUE(fast.parse("{\"text\":\"" + text + "\",\"b\":\"" + std::string(70, 'y') + "\"}"));
      EXPECT_TRUE(fast.may_have_high_bytes()) << length << " " << at;
      ASSERT_TRUE(fast.parse("{\"" + text + "\":1}"));
      EXPECT_TRUE(fast.may_have_high_bytes()) << length << " " << at;
    }
  }
  EXPECT_FALSE(fast.parse("{\"a\":1}\x80"));
  EXPECT_FALSE(fast.parse("{\"a\":\x80 1}"));
}

TEST_P(FastJson, StopsAtTheDepthLimit) {
  const auto nested = [](std::size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_TRUE(fast.parse(nested(kMaxJsonDepth)));
  EXPECT_FALSE(fast.parse(nested(kMaxJsonDepth + 1)));
  EXPECT_FALSE(fast.parse("{\"a\":" + std::string(1000000, '[')));
}

TEST_P(FastJson, RefusesWhatIsNotStrict) {
  for (const char* const bad : {"",
                                " ",
                                "[]",
                                "1",
                                "{",
                                "}",
                                "{}{}",
                                "{} x",
                                "{\"a\"}",
                                "{\"a\":}",
                                "{\"a\":1,}",
                                "{,}",
                                "{\"a\":01}",
                                "{\"a\":1.}",
                                "{\"a\":.5}",
                                "{\"a\":+1}",
                                "{\"a\":1e}",
                                "{\"a\":-}",
                                "{\"a\":tru}",
                                "{\"a\":nulll}",
                                "{\"a\":[1,]}",
                                "{\"a\":[1 2]}",
                                "{\"a\":[}",
                                "{\"a\":{]}",
                                "{\"a\":\"\\x\"}",
                                "{\"a\":\"\\u12g4\"}",
                                "{\"a\":\"\\ud800\"}",
                                "{\"a\":\"\\udc00\"}",
                                "{\"a\":\"\\ud800\\u0041\"}",
                                "{\"a\":\"b}",
                                "{\"a\":\"\t\"}",
                                "{'a':1}",
                                "{a:1}",
                                "{\"a\":NaN}",
                                "{\"a\":1}//",
                                "\xEF\xBB\xBF{}"}) {
    EXPECT_FALSE(fast.parse(bad)) << bad;
  }
}

// simdjson and the scanner accept every record that the parser accepts, the scanner with the same values. simdjson
// refuses every record that the parser refuses, except for numbers that fit no double.
TEST_P(FastJson, AgreesWithSimdjsonAndTheScanner) {
  spillway::testing::JsonSamples samples(11);
  JsonScanner scanner(fast.table());
  simdjson::dom::parser oracle;
  int taken = 0, refused = 0;
  for (int round = 0; round < 30000; ++round) {
    const std::string record = samples.next();
    const bool valid_utf8 = simdjson::validate_utf8(record);
    const bool good = valid_utf8 && fast.parse(record);
    simdjson::dom::element element;
    const auto error = oracle.parse(record).get(element);
    const bool oracle_good = error == simdjson::SUCCESS && element.is_object();
    const bool number_doubt = error == simdjson::NUMBER_ERROR;
    if (!number_doubt) {
      ASSERT_EQ(good, oracle_good) << record << " " << simdjson::error_message(error);
    }
    scanner.reset();
    scanner.feed(record);
    const bool scanned = scanner.finish();
    if (!good) {
      ++refused;
      // Beyond that, the scanner may only accept records that it repairs.
      if (scanned) {
        ASSERT_TRUE(scanner.repaired()) << record;
      }
      continue;
    }
    ++taken;
    ASSERT_TRUE(scanned) << record << " " << scanner.error_detail();
    ASSERT_FALSE(scanner.repaired()) << record;
    for (const char* const name : {"id", "docid", "title", "text", "contents", "url", "date"}) {
      const FieldValue& ours = fast.value(name);
      const FieldValue& slow = scanner.values()[fast.table().find(name)];
      ASSERT_EQ(ours.kind, slow.kind) << record;
      if (ours.kind == ValueKind::kString || ours.kind == ValueKind::kNumber) {
        ASSERT_EQ(ours.text_bytes, slow.text_bytes) << record;
      }
      if (ours.kind != ValueKind::kString || !oracle_good) continue;
      simdjson::dom::element last;
      for (const auto field : element.get_object()) {
        if (field.key == name) last = field.value;
      }
      ASSERT_EQ(fast.text(name), last.get_string().value()) << record;
    }
  }
  EXPECT_GT(taken, 4000);
  EXPECT_GT(refused, 5000);
}

TEST(FastJsonRecords, EndAtTheFirstNewline) {
  const FieldTable table{FieldNames{}};
  FastJsonParser parser(table);
  std::array<char, 256> scratch{};
  const std::string padding(kRecordPadding, '"');
  const auto parse = [&](const std::string& bytes) { return parser.parse(bytes + "\n" + padding, scratch.data()); };
  EXPECT_EQ(parse("{\"id\":\"1\"} \r\n{\"id\":\"2\"}"), 12u);
  EXPECT_EQ(parser.text(table.find("id")), "1");
  EXPECT_EQ(parse("{\"id\":\"a\nb\"}"), std::nullopt);
  EXPECT_EQ(parse("{\"id\":\"a\\\nb\"}"), std::nullopt);
  EXPECT_EQ(parse("{\"id\":\n1}"), std::nullopt);
  EXPECT_EQ(parse("{\"id\":1\n}"), std::nullopt);
  EXPECT_EQ(parse("\n{\"id\":1}"), std::nullopt);
}

constexpr std::array<const char*, 3> kPathNames{"Sse2", "Avx2", "Avx512"};
INSTANTIATE_TEST_SUITE_P(Unescape, FastJson,
                         ::testing::Values(unescape_string_sse2, unescape_string_avx2, unescape_string_avx512),
                         [](const auto& test) { return kPathNames[test.index]; });

}  // namespace
}  // namespace spillway
