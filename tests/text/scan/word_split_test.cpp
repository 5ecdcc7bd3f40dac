#include "text/scan/word_split.hpp"

#include <gtest/gtest.h>

#include <string>

namespace spillway {
namespace {

TEST(OneTokenPrefix, CountsLettersOfOneAndTwoBytes) {
  EXPECT_EQ(one_token_prefix("", 0), 0U);
  EXPECT_EQ(one_token_prefix("abc019", 0), 6U);
  EXPECT_EQ(one_token_prefix("aéж\u0301", 0), 7U);
  EXPECT_EQ(one_token_prefix("aé中é", 0), 3U);
  EXPECT_EQ(one_token_prefix("中", 0), 0U);
  EXPECT_EQ(one_token_prefix("a\u00A0b", 0), 1U);  // Latin-1 punctuation
  EXPECT_EQ(one_token_prefix("a\uFFFDb", 0), 1U);
}

TEST(OneTokenPrefix, StopsBeforeHalfACharacterAndGoesOnFromWhatIsKnown) {
  const std::string text = "aé中";
  EXPECT_EQ(one_token_prefix(text.substr(0, 2), 0), 1U);
  EXPECT_EQ(one_token_prefix(text, 1), 3U);
  EXPECT_EQ(one_token_prefix(text, 3), 3U);
  EXPECT_EQ(one_token_prefix("\xC3\xC3", 0), 0U);  // ill-formed
  EXPECT_EQ(one_token_prefix("\x80", 0), 0U);
}

TEST(WordSplit, IsAfterTheLastSeparatorUpToTheLimit) {
  const std::string text = "中。中文。中文中文";
  EXPECT_EQ(find_word_split(text, 8), 6U);
  EXPECT_EQ(find_word_split(text, 14), 6U);
  EXPECT_EQ(find_word_split(text, 15), 15U);
  EXPECT_EQ(find_word_split(text, 20), 15U);
  EXPECT_EQ(find_word_split("中\u00A0文文文", 10), 5U);
  EXPECT_EQ(find_word_split("中«文文文", 10), 5U);
}

TEST(WordSplit, IsOtherwiseBeforeTheLettersThatEndAtTheLimit) {
  EXPECT_EQ(find_word_split("中文wordword", 10), 6U);
  EXPECT_EQ(find_word_split("中文wérdword", 10), 6U);
  EXPECT_EQ(find_word_split("中文wéééé", 12), 6U);  // the limit is inside a character
}

TEST(WordSplit, IsOtherwiseBetweenCharacters) {
  EXPECT_EQ(find_word_split("中文中文", 6), 6U);
  EXPECT_EQ(find_word_split("中文中文", 7), 6U);
  EXPECT_EQ(find_word_split("中文中文", 8), 6U);
  EXPECT_EQ(find_word_split("𠮷𠮷𠮷", 11), 8U);
}

TEST(WordSplit, EndsWithAnyBytes) {
  EXPECT_GE(find_word_split(std::string(100, '\x80'), 50), 1U);
  EXPECT_LE(find_word_split(std::string(100, '\xFF'), 50), 50U);
  EXPECT_EQ(find_word_split(std::string(100, 'a'), 50), 50U);
}

}  // namespace
}  // namespace spillway
