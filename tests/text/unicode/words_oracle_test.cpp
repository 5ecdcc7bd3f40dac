// Compares UnicodeWords with the same rules written with ICU alone: without character tables, dictionary code and
// caches.
#include <gtest/gtest.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/inverted_oracle.hpp"
#include "text/unicode/words.hpp"

namespace spillway {
namespace {

using Tokens = std::vector<std::string>;

bool is_mark(UChar32 c) { return (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0; }
bool is_word(UChar32 c) { return (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_N_MASK | U_GC_M_MASK)) != 0; }
bool is_unspaced(UChar32 c) {
  for (const UScriptCode script :
       {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_THAI, USCRIPT_LAO, USCRIPT_KHMER, USCRIPT_MYANMAR}) {
    if (uscript_hasScript(c, script)) return true;
  }
  return false;
}

class IcuTokens {
 public:
  IcuTokens() : breaker_(ubrk_open(UBRK_WORD, "", nullptr, 0, &status_), ubrk_close) {
    normalizer_ = unorm2_getNFKCCasefoldInstance(&status_);
  }

  Tokens split(std::string_view word) {
    const std::u16string text = folded(word);
    const auto units = static_cast<std::int32_t>(text.size());
    tokens_.clear();
    std::int32_t begin = -1;
    bool unspaced = false;
    for (std::int32_t at = 0; at < units;) {
      const std::int32_t start = at;
      UChar32 c = 0;
      U16_NEXT(text.data(), at, units, c);
      const bool now_unspaced = begin >= 0 && is_mark(c) ? unspaced : is_unspaced(c);
      if (begin >= 0 && (!is_word(c) || now_unspaced != unspaced)) {
        take(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(start - begin)), unspaced);
        begin = -1;
      }
      if (is_word(c) && begin < 0) {
        begin = start;
        unspaced = now_unspaced;
      }
    }
    if (begin >= 0) take(text.substr(static_cast<std::size_t>(begin)), unspaced);
    EXPECT_TRUE(U_SUCCESS(status_));
    return tokens_;
  }

 private:
  std::u16string folded(std::string_view word) {
    std::u16string raw(word.size() + 1, u'\0'), text(20 * word.size() + 64, u'\0');
    std::int32_t count = 0;
    u_strFromUTF8WithSub(raw.data(), static_cast<std::int32_t>(raw.size()), &count, word.data(),
                         static_cast<std::int32_t>(word.size()), 0xFFFD, nullptr, &status_);
    count =
        unorm2_normalize(normalizer_, raw.data(), count, text.data(), static_cast<std::int32_t>(text.size()), &status_);
    text.resize(static_cast<std::size_t>(count));
    return text;
  }

  void take(const std::u16string& stretch, bool unspaced) {
    if (!unspaced) return add(stretch);
    ubrk_setText(breaker_.get(), stretch.data(), static_cast<std::int32_t>(stretch.size()), &status_);
    std::int32_t from = 0;
    for (std::int32_t end = ubrk_next(breaker_.get()); end != UBRK_DONE; end = ubrk_next(breaker_.get())) {
      add(stretch.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(end - from)));
      from = end;
    }
  }

  void add(const std::u16string& token) {
    std::string bytes(3 * token.size(), '\0');
    std::int32_t count = 0;
    u_strToUTF8(bytes.data(), static_cast<std::int32_t>(bytes.size()), &count, token.data(),
                static_cast<std::int32_t>(token.size()), &status_);
    bytes.resize(static_cast<std::size_t>(count));
    tokens_.push_back(bytes);
  }

  UErrorCode status_ = U_ZERO_ERROR;
  std::unique_ptr<UBreakIterator, decltype(&ubrk_close)> breaker_;
  const UNormalizer2* normalizer_ = nullptr;
  Tokens tokens_;
};

Tokens split(UnicodeWords& words, std::string_view word) {
  Tokens tokens;
  words.split(word, [&](std::string_view token) { tokens.emplace_back(token); });
  return tokens;
}

constexpr const char* kFragments[] = {"東京都に住んでいます",
                                      "インストール",
                                      "パッケージ",
                                      "ゲーム",
                                      "中华人民共和国",
                                      "研究生命起源",
                                      "權利",
                                      "、",
                                      "。",
                                      "「",
                                      "々",
                                      "〆",
                                      "〱",
                                      "ゝ",
                                      "ヾ",
                                      "・",
                                      "ｶﾞ",
                                      "か\u3099",
                                      "㌔",
                                      "㈱",
                                      "①",
                                      "𠀀",
                                      "豈",
                                      "\uFA0E",
                                      "ㇰ",
                                      "ー",
                                      "ｰ",
                                      "゛",
                                      "\u3099",
                                      "\u0301",
                                      "abc",
                                      "3D",
                                      "Ｗｅｂ",
                                      "naïve",
                                      "книга",
                                      "한국어",
                                      "ภาษาไทยง่าย",
                                      "ไทย",
                                      "ສະບາຍດີ",
                                      "ខ្មែរ",
                                      "မြန်မာဘာသာစကား",
                                      "\u00AD",
                                      "\u200B",
                                      "\u200D",
                                      "😀",
                                      "\xFF",
                                      "\xE3\x81",
                                      "の",
                                      "は",
                                      "第",
                                      "〇",
                                      "龥",
                                      "\u9FFF",
                                      "ｱ",
                                      "٣",
                                      "ﬁ",
                                      "，",
                                      "（",
                                      "！",
                                      "０"};

std::string random_word(std::mt19937_64& random, std::size_t fragments) {
  std::string word;
  for (std::size_t i = 0; i < fragments; ++i) {
    const std::string_view fragment = kFragments[random() % std::size(kFragments)];
    switch (random() % 8) {
      case 0:  // any part of it, which may be ill-formed
        word += fragment.substr(random() % fragment.size());
        break;
      case 1: {  // any character of the first planes
        char bytes[U8_MAX_LENGTH];
        std::int32_t count = 0;
        const auto c = static_cast<UChar32>(0x80 + random() % (random() % 4 == 0 ? 0x2FF80 : 0xD780));
        if (U_IS_SURROGATE(c)) break;
        U8_APPEND_UNSAFE(bytes, count, c);
        word.append(bytes, static_cast<std::size_t>(count));
        break;
      }
      default:
        word += fragment;
    }
  }
  return word;
}

TEST(UnicodeWordsOracle, AgreesOnMixturesOfScripts) {
  UnicodeWords words(4096), plenty(std::size_t{1} << 20);
  IcuTokens icu;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    std::mt19937_64 random(seed);
    const std::string word = random_word(random, 1 + random() % (seed % 50 == 0 ? 200 : 12));
    const Tokens expected = icu.split(word);
    ASSERT_EQ(split(words, word), expected) << "seed " << seed;
    ASSERT_EQ(split(plenty, word), expected) << "seed " << seed;
    ASSERT_EQ(split(plenty, word), expected) << "again, seed " << seed;
  }
}

// There are few words, so most are remembered, and some are forgotten.
TEST(UnicodeWordsOracle, AgreesOnWordsThatCameBefore) {
  UnicodeWords words(std::size_t{16} << 10);
  IcuTokens icu;
  std::mt19937_64 random(5);
  std::vector<std::string> inputs;
  std::vector<Tokens> expected;
  for (int i = 0; i < 200; ++i) {
    inputs.push_back(random_word(random, 1 + random() % 12));
    expected.push_back(icu.split(inputs.back()));
  }
  for (int i = 0; i < 20000; ++i) {
    const std::size_t which = random() % (i % 2 == 0 ? 10 : inputs.size());
    ASSERT_EQ(split(words, inputs[which]), expected[which]) << inputs[which];
  }
}

TEST(UnicodeWordsOracle, AgreesOnRandomText) {
  UnicodeWords words;
  IcuTokens icu;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    const std::string text = testing::random_text(random, 200);
    ASSERT_EQ(split(words, text), icu.split(text)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace spillway
