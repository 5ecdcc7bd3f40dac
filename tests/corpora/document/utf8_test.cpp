#include "corpora/document/utf8.hpp"

#include <gtest/gtest.h>

#include <random>

namespace spillway {
namespace {

class StringOutput final : public TextOutput {
 public:
  void append(std::string_view fragment) override {
    EXPECT_TRUE(is_valid_utf8(fragment));
    text += fragment;
  }
  std::string text;
};

const std::string kR(kReplacementCharacter);

TEST(Utf8, KeepsWhatIsValid) {
  const std::string text =
      "plain, \xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x98\x80, \xF4\x8F\xBF\xBF, \xED\x9F\xBF, \xEE\x80\x80";
  EXPECT_EQ(repair_utf8(text), text);
}

// Unicode 15, tables 3-8 to 3-11.
TEST(Utf8, ReplacesMaximalSubparts) {
  EXPECT_EQ(repair_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), kR + kR + kR + kR + kR + kR + kR + kR + "A");
  EXPECT_EQ(repair_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), kR + kR + kR + kR + kR + kR + kR + kR + "A");
  EXPECT_EQ(repair_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), kR + kR + kR + kR + kR + "A" + kR + kR + "B");
  EXPECT_EQ(repair_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), kR + kR + kR + kR + "A");
}

TEST(Utf8, ReplacesACutTail) {
  EXPECT_EQ(repair_utf8("a\xE2\x82"), "a" + kR);
  EXPECT_EQ(repair_utf8("\xF0\x9F\x98"), kR);
  EXPECT_EQ(repair_utf8("\xC3"), kR);
}

TEST(Utf8, KeepsNul) { EXPECT_EQ(repair_utf8(std::string_view("a\0b", 3)), std::string_view("a\0b", 3)); }

TEST(Utf8, RepairsAlikeHoweverItIsCut) {
  std::mt19937_64 random(7);
  const std::string alphabet = "ab\x7F\x80\xBF\xC0\xC3\xA9\xE0\xA0\xE2\x82\xAC\xED\xEF\xF0\x90\x9F\xF4\x8F\xF5\xFF";
  for (int round = 0; round < 3000; ++round) {
    std::string bytes(random() % 60, '\0');
    for (char& c : bytes) c = alphabet[random() % alphabet.size()];
    if (round % 3 == 0) bytes.insert(bytes.size() / 2, std::string(40, 'x'));
    const std::string expected = repair_utf8(bytes);
    ASSERT_TRUE(is_valid_utf8(expected));
    ASSERT_EQ(expected == bytes, is_valid_utf8(bytes));
    Utf8Repairer repairer;
    StringOutput out;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t step = std::min<std::size_t>(1 + random() % 5, bytes.size() - at);
      repairer.feed(std::string_view(bytes).substr(at, step), out);
      at += step;
    }
    repairer.finish(out);
    ASSERT_EQ(out.text, expected);
    ASSERT_EQ(repairer.repaired(), expected != bytes);
  }
}

TEST(Utf8, CutsPrefixesBetweenCharacters) {
  const std::string text = "a\xE2\x82\xAC\xF0\x9F\x98\x80z";
  const std::size_t expected[] = {0, 1, 1, 1, 4, 4, 4, 4, 8, 9, 9};
  for (std::size_t bytes = 0; bytes <= 10; ++bytes)
    EXPECT_EQ(utf8_prefix(text, bytes).size(), expected[bytes]) << bytes;
}

}  // namespace
}  // namespace spillway
