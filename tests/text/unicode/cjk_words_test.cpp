#include "text/unicode/cjk_words.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <unicode/uversion.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "text/unicode/icu_word_break.hpp"

namespace spillway {
namespace {

constexpr std::size_t kLeastMemory = 4096, kMuchMemory = std::size_t{1} << 20;

constexpr std::u16string_view kText =
    u"人類社会のすべての構成員の固有の尊厳と平等で譲ることのできない権利とを承認することは世界における自由正義及び平和"
    u"の基礎である"
    u"古代戦争のリアルタイム戦略ゲームをインストールしますオープンソースのクロスプラットフォームなカスタムビルドゲーム"
    u"エンジンを含みます"
    u"人人生而自由在尊严和权利上一律平等他们赋有理性和良心并应以兄弟关系的精神相对待中华人民共和国国务院总理研究生命起"
    u"源"
    u"人人生而自由在尊嚴和權利上一律平等他們賦有理性和良心並應以兄弟關係的精神互相對待二〇二六年佐々木さんのコーヒーヴ"
    u"ァイオリン";

std::u16string all_characters() {
  std::u16string all;
  for (char32_t c = 0x3000; c < 0xA000; ++c) {
    if (is_kana_or_han(c)) all.push_back(static_cast<char16_t>(c));
  }
  return all;
}

std::u16string pick(std::mt19937_64& random, std::u16string_view from, std::size_t units) {
  std::u16string result;
  while (result.size() < units) result.push_back(from[random() % from.size()]);
  return result;
}

// A random text of sentences, of their characters, of any characters, and of Katakana, which has rules of its own for
// sequences of up to 20 characters and longer ones.
std::u16string random_stretch(std::mt19937_64& random, std::size_t longest) {
  static const std::u16string kAll = all_characters();
  static constexpr std::u16string_view kKatakana = u"アイウカキクサシスータチツンナニヌハヒフヴヺ";
  const std::size_t units = 1 + random() % longest;
  std::u16string stretch;
  while (stretch.size() < units) {
    const std::size_t length = 1 + random() % (random() % 4 == 0 ? 30 : 6);
    switch (random() % 5) {
      case 0:
        stretch += pick(random, kAll, length);
        break;
      case 1:
        stretch += pick(random, kText, length);
        break;
      case 2:
        stretch += pick(random, kKatakana, length);
        break;
      default:
        stretch += kText.substr(random() % kText.size(), length);
    }
  }
  stretch.resize(units);
  return stretch;
}

void expect_as_icu(CjkWords& words, IcuWordBreak& icu, std::u16string_view stretch) {
  const auto found = words.find(stretch);
  const std::vector<std::uint32_t> ends(found.begin(), found.end());
  const auto expected = icu.find(stretch);
  ASSERT_EQ(ends, std::vector<std::uint32_t>(expected.begin(), expected.end()));
}

TEST(CjkWords, KnowsTheWayThroughTheDictionary) {
  if (U_ICU_VERSION_MAJOR_NUM != 72) GTEST_SKIP() << "other releases may find words otherwise; they are asked instead";
  EXPECT_TRUE(CjkWords::open(kMuchMemory).has_value());
}

TEST(CjkWords, FindsWhatIcuFindsInAnyMixture) {
  auto few = CjkWords::open(kLeastMemory), many = CjkWords::open(kMuchMemory);
  if (!few) GTEST_SKIP() << "ICU's dictionary is not known";
  IcuWordBreak icu;
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::u16string stretch = random_stretch(random, i % 10 == 0 ? 200 : 30);
    expect_as_icu(*few, icu, stretch);
    expect_as_icu(*many, icu, stretch);
    if (HasFatalFailure()) FAIL() << "stretch " << i;
  }
  for (const std::size_t units : {std::size_t{5000}, std::size_t{22000}}) {
    std::u16string stretch;
    while (stretch.size() < units) stretch += random_stretch(random, 500);
    expect_as_icu(*few, icu, stretch);
    expect_as_icu(*many, icu, stretch);
  }
}

TEST(CjkWords, FindsWhatIcuFindsAroundAnyCharacter) {
  auto words = CjkWords::open(kMuchMemory);
  if (!words) GTEST_SKIP() << "ICU's dictionary is not known";
  IcuWordBreak icu;
  std::u16string stretch;
  for (const char16_t c : all_characters()) {
    stretch.assign(u"東").append(2, c).append(u"の").append(1, c).append(u"ア");
    expect_as_icu(*words, icu, stretch);
    if (HasFatalFailure()) FAIL() << std::hex << static_cast<unsigned>(c);
  }
}

TEST(CjkWords, FindsWhatIcuFindsInKatakanaOfAnyLength) {
  auto words = CjkWords::open(kMuchMemory);
  if (!words) GTEST_SKIP() << "ICU's dictionary is not known";
  IcuWordBreak icu;
  for (std::size_t units = 1; units < 70; ++units) {
    for (const char16_t c : std::u16string_view(u"ヌーン")) {
      const std::u16string katakana(units, c);
      expect_as_icu(*words, icu, katakana);
      std::u16string among = u"の";
      among.append(katakana).append(u"の").append(katakana);
      expect_as_icu(*words, icu, among);
    }
  }
}

// Measured with the C library; sanitizers replace it, so that nothing can be measured.
TEST(CjkWords, GiveTheMemoryOfLongStretchesBack) {
  auto words = CjkWords::open(kLeastMemory);
  if (!words) GTEST_SKIP() << "ICU's dictionary is not known";
  std::mt19937_64 random(8);
  const std::u16string little = random_stretch(random, 30), much(22000, u'の');
  const auto allocated_bytes = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  words->find(little);
  words->find(std::u16string(2, u'の'));
  const std::size_t before = allocated_bytes();
  words->find(much);
  EXPECT_LT(allocated_bytes(), before + (std::size_t{128} << 10));
  words->find(little);
  EXPECT_LT(allocated_bytes(), before + (std::size_t{16} << 10));
}

}  // namespace
}  // namespace spillway
