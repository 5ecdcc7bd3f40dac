#include "text/unicode/folded_word.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <vector>

namespace spillway {
namespace {

std::string text_of(const FoldedWord& word) { return {word.text(), word.place(word.units().size())}; }

TEST(FoldedWord, FoldsAndTellsWhereCharactersStand) {
  FoldedWord word;
  word.fold("Äb東");
  EXPECT_EQ(std::u16string(word.units().begin(), word.units().end()), u"äb東");
  EXPECT_EQ(text_of(word), "äb東");
  EXPECT_EQ((std::vector<std::uint32_t>{word.place(0), word.place(1), word.place(2), word.place(3)}),
            (std::vector<std::uint32_t>{0, 2, 3, 6}));
  EXPECT_FALSE(word.is_unchanged());
}

TEST(FoldedWord, TellsWhetherTheTextIsTheWord) {
  FoldedWord word;
  word.fold("が、東京2カー");
  EXPECT_TRUE(word.is_unchanged());
  EXPECT_EQ(text_of(word), "が、東京2カー");
  word.fold("東，京（ｶ");
  EXPECT_FALSE(word.is_unchanged());
  EXPECT_EQ(text_of(word), "東,京(カ");
  word.fold("か\u3099");  // composes to one character
  EXPECT_FALSE(word.is_unchanged());
  EXPECT_EQ(text_of(word), "が");
  word.fold("ｶ");
  EXPECT_EQ(text_of(word), "カ");
}

TEST(FoldedWord, IsUnchangedIfOnlyCharactersOutsideOfWordsAreFolded) {
  FoldedWord word;
  word.fold("東，京（都");
  EXPECT_TRUE(word.is_unchanged());
  EXPECT_EQ(text_of(word), "東，京（都");
  EXPECT_EQ(std::u16string(word.units().begin(), word.units().end()), u"東,京(都");
  EXPECT_EQ(word.place(2), 6U);
}

TEST(FoldedWord, PlacesCharactersOfTwoUnitsAndOfExpansions) {
  FoldedWord word;
  word.fold("𝔘𠀀z");
  EXPECT_EQ(std::u16string(word.units().begin(), word.units().end()), u"u𠀀z");
  EXPECT_EQ(text_of(word), "u𠀀z");
  EXPECT_EQ(word.place(1), 1U);
  EXPECT_EQ(word.place(3), 5U);
  std::string many, folded;
  for (int i = 0; i < 2000; ++i) {
    many += "ﷺ";
    folded += "صلى الله عليه وسلم";
  }
  word.fold(many);
  EXPECT_EQ(text_of(word), folded);
}

TEST(FoldedWord, TellsKindsOfCharacters) {
  FoldedWord word;
  word.fold("a、東ไ\u0301𠀀");
  ASSERT_EQ(word.kinds().size(), 7U);
  EXPECT_EQ(word.kinds()[0], kWordCharacter);
  EXPECT_EQ(word.kinds()[1] & kWordCharacter, 0);
  EXPECT_EQ(word.kinds()[2], kWordCharacter | kUnspaced | kKanaOrHan);
  EXPECT_EQ(word.kinds()[3], kWordCharacter | kUnspaced);
  EXPECT_EQ(word.kinds()[4], kWordCharacter | kMark);
  EXPECT_EQ(word.kinds()[5], kWordCharacter | kUnspaced);  // above the BMP
  EXPECT_EQ(word.kinds()[6], word.kinds()[5]);
}

// Measured with the C library; sanitizers replace it, so that nothing can be measured.
TEST(FoldedWord, ReleasesTheMemoryOfLongWords) {
  const auto allocated_bytes = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  FoldedWord word;
  const std::string little = "がカ東京", other = "e\u0301カ";
  std::string much;
  while (much.size() < 60000) much += "ﷺ";
  word.fold(little);
  word.fold(other);
  const std::size_t before = allocated_bytes();
  word.fold(much);
  EXPECT_EQ(word.units().size(), much.size() / 3 * 18);
  word.fold(little);
  EXPECT_LT(allocated_bytes(), before + (std::size_t{16} << 10));
  EXPECT_EQ(text_of(word), little);
  word.fold(much);
  word.fold(other);
  EXPECT_LT(allocated_bytes(), before + (std::size_t{16} << 10));
  EXPECT_EQ(text_of(word), "éカ");
}

}  // namespace
}  // namespace spillway
