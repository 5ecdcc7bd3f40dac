#include "text/unicode/character_table.hpp"

#include <gtest/gtest.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

namespace spillway {
namespace {

std::u16string normalize(std::u16string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2* const normalizer = unorm2_getNFKCCasefoldInstance(&status);
  std::u16string folded(20 * text.size() + 20, u'\0');
  const std::int32_t count = unorm2_normalize(normalizer, text.data(), static_cast<std::int32_t>(text.size()),
                                              folded.data(), static_cast<std::int32_t>(folded.size()), &status);
  EXPECT_TRUE(U_SUCCESS(status));
  folded.resize(static_cast<std::size_t>(count));
  return folded;
}

TEST(CharacterTable, FoldsEverySimpleCharacterAsIcuDoes) {
  const CharacterTable& table = CharacterTable::instance();
  std::size_t simple = 0;
  for (std::uint32_t c = 0; c <= 0xFFFF; ++c) {
    const CharacterEntry entry = table[c];
    if (!entry.simple) continue;
    ++simple;
    ASSERT_EQ(normalize(std::u16string(1, static_cast<char16_t>(c))),
              std::u16string(1, static_cast<char16_t>(entry.folded)))
        << c;
    ASSERT_EQ(entry.kind, character_kind(entry.folded)) << c;
  }
  EXPECT_GT(simple, 50000U);
}

// The property that allows folding character by character.
TEST(CharacterTable, TextsOfSimpleCharactersFoldOneByOne) {
  const CharacterTable& table = CharacterTable::instance();
  std::vector<char16_t> simple;
  for (std::uint32_t c = 0; c <= 0xFFFF; ++c) {
    if (table[c].simple) simple.push_back(static_cast<char16_t>(c));
  }
  std::mt19937_64 random(1);
  for (int round = 0; round < 200000; ++round) {
    // Neighbours in the table are likely to interact.
    const std::size_t from = random() % simple.size();
    std::u16string text, expected;
    for (std::size_t i = 0; i < 1 + random() % 6; ++i) {
      const std::size_t near = std::min(simple.size() - 1, from + random() % 64);
      const char16_t c = simple[random() % 2 == 0 ? near : random() % simple.size()];
      text.push_back(c);
      expected.push_back(static_cast<char16_t>(table[c].folded));
    }
    ASSERT_EQ(normalize(text), expected);
  }
}

TEST(CharacterTable, KnowsKinds) {
  EXPECT_EQ(character_kind('a'), kWordCharacter);
  EXPECT_EQ(character_kind('-'), 0);
  EXPECT_EQ(character_kind(0x0301), kWordCharacter | kMark);
  EXPECT_EQ(character_kind(0x4E00), kWordCharacter | kUnspaced | kKanaOrHan);
  EXPECT_EQ(character_kind(0x30FC), kWordCharacter | kUnspaced | kKanaOrHan);
  EXPECT_EQ(character_kind(0x309D), kWordCharacter | kUnspaced);
  EXPECT_EQ(character_kind(0xFA0E), kWordCharacter | kUnspaced);
  EXPECT_EQ(character_kind(0x0E31), kWordCharacter | kMark | kUnspaced);
  EXPECT_EQ(character_kind(0x20000), kWordCharacter | kUnspaced);
  EXPECT_EQ(character_kind(0x3002) & kWordCharacter, 0);
}

TEST(CharacterTable, LeavesToIcuWhatInteracts) {
  const CharacterTable& table = CharacterTable::instance();
  for (const std::uint32_t c : {0x0301U, 0x00DFU, 0x00ADU, 0x1161U, 0x3099U, 0xD800U, 0xFB01U}) {
    EXPECT_FALSE(table[c].simple) << c;
  }
}

TEST(CharacterTable, IsTheSameForThreadsThatMeetAPageTogether) {
  std::vector<std::vector<std::uint16_t>> folded(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : folded) {
      threads.emplace_back([&mine] {
        for (std::uint32_t c = 0; c <= 0xFFFF; ++c) mine.push_back(CharacterTable::instance()[c].folded);
      });
    }
  }
  for (const auto& mine : folded) EXPECT_EQ(mine, folded[0]);
}

}  // namespace
}  // namespace spillway
