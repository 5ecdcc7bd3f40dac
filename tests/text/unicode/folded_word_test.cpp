#include "text/unicode/folded_word.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <vector>

namespace spillway {
namespace {

std::string text_of(const FoldedWord& run) { return {run.text(), run.place(run.units().size())}; }

TEST(FoldedWord, FoldsAndTellsWhereCharactersStand) {
  FoldedWord run;
  run.fold("Äb東");
  EXPECT_EQ(std::u16string(run.units().begin(), run.units().end()), u"äb東");
  EXPECT_EQ(text_of(run), "äb東");
  EXPECT_EQ((std::vector<std::uint32_t>{run.place(0), run.place(1), run.place(2), run.place(3)}),
            (std::vector<std::uint32_t>{0, 2, 3, 6}));
  EXPECT_FALSE(run.is_unchanged());
}

TEST(FoldedWord, TellsWhetherTheTextIsTheRun) {
  FoldedWord run;
  run.fold("が、東京2カー");
  EXPECT_TRUE(run.is_unchanged());
  EXPECT_EQ(text_of(run), "が、東京2カー");
  run.fold("東，京（ｶ");
  EXPECT_FALSE(run.is_unchanged());
  EXPECT_EQ(text_of(run), "東,京(カ");
  run.fold("か\u3099");  // composes to one character
  EXPECT_FALSE(run.is_unchanged());
  EXPECT_EQ(text_of(run), "が");
  run.fold("ｶ");
  EXPECT_EQ(text_of(run), "カ");
}

TEST(FoldedWord, IsUnchangedIfOnlyCharactersOutsideOfWordsAreFolded) {
  FoldedWord run;
  run.fold("東，京（都");
  EXPECT_TRUE(run.is_unchanged());
  EXPECT_EQ(text_of(run), "東，京（都");
  EXPECT_EQ(std::u16string(run.units().begin(), run.units().end()), u"東,京(都");
  EXPECT_EQ(run.place(2), 6U);
}

TEST(FoldedWord, PlacesCharactersOfTwoUnitsAndOfExpansions) {
  FoldedWord run;
  run.fold("𝔘𠀀z");
  EXPECT_EQ(std::u16string(run.units().begin(), run.units().end()), u"u𠀀z");
  EXPECT_EQ(text_of(run), "u𠀀z");
  EXPECT_EQ(run.place(1), 1U);
  EXPECT_EQ(run.place(3), 5U);
  std::string many, folded;
  for (int i = 0; i < 2000; ++i) {
    many += "ﷺ";
    folded += "صلى الله عليه وسلم";
  }
  run.fold(many);
  EXPECT_EQ(text_of(run), folded);
}

TEST(FoldedWord, TellsKindsOfCharacters) {
  FoldedWord run;
  run.fold("a、東ไ\u0301𠀀");
  ASSERT_EQ(run.kinds().size(), 7U);
  EXPECT_EQ(run.kinds()[0], kWordCharacter);
  EXPECT_EQ(run.kinds()[1] & kWordCharacter, 0);
  EXPECT_EQ(run.kinds()[2], kWordCharacter | kUnspaced | kKanaOrHan);
  EXPECT_EQ(run.kinds()[3], kWordCharacter | kUnspaced);
  EXPECT_EQ(run.kinds()[4], kWordCharacter | kMark);
  EXPECT_EQ(run.kinds()[5], kWordCharacter | kUnspaced);  // above the BMP
  EXPECT_EQ(run.kinds()[6], run.kinds()[5]);
}

// By what the C library tells; sanitizers have another, and tell nothing here.
TEST(FoldedWord, GivesTheMemoryOfLongRunsBack) {
  const auto allocated_bytes = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  FoldedWord run;
  const std::string little = "がカ東京", other = "e\u0301カ";
  std::string much;
  while (much.size() < 60000) much += "ﷺ";
  run.fold(little);
  run.fold(other);
  const std::size_t before = allocated_bytes();
  run.fold(much);
  EXPECT_EQ(run.units().size(), much.size() / 3 * 18);
  run.fold(little);
  EXPECT_LT(allocated_bytes(), before + (std::size_t{16} << 10));
  EXPECT_EQ(text_of(run), little);
  run.fold(much);
  run.fold(other);
  EXPECT_LT(allocated_bytes(), before + (std::size_t{16} << 10));
  EXPECT_EQ(text_of(run), "éカ");
}

}  // namespace
}  // namespace spillway
