#include "text/unicode/words.hpp"

#include <gtest/gtest.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <vector>

#include "tests/support/inverted_oracle.hpp"

namespace spillway {
namespace {

using Tokens = std::vector<std::string>;

Tokens split(UnicodeWords& words, std::string_view word) {
  Tokens tokens;
  words.split(word, [&](std::string_view token) { tokens.emplace_back(token); });
  return tokens;
}

Tokens split(std::string_view word) {
  UnicodeWords words;
  return split(words, word);
}

std::string join(const Tokens& tokens) {
  std::string joined;
  for (const std::string& token : tokens) joined += token;
  return joined;
}

// Returns what all tokens of a text must be when joined: its letters, numbers and marks after NFKC_Casefold.
std::string folded_word_characters(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  std::vector<UChar> raw(text.size() + 1), folded(40 * text.size() + 64), kept;
  std::int32_t count = 0;
  u_strFromUTF8WithSub(raw.data(), static_cast<std::int32_t>(raw.size()), &count, text.data(),
                       static_cast<std::int32_t>(text.size()), 0xFFFD, nullptr, &status);
  const UNormalizer2* const normalizer = unorm2_getNFKCCasefoldInstance(&status);
  count =
      unorm2_normalize(normalizer, raw.data(), count, folded.data(), static_cast<std::int32_t>(folded.size()), &status);
  EXPECT_TRUE(U_SUCCESS(status));
  for (std::int32_t at = 0; at < count;) {
    const std::int32_t start = at;
    UChar32 c = 0;
    U16_NEXT(folded.data(), at, count, c);
    if ((U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_N_MASK | U_GC_M_MASK)) == 0) continue;
    kept.insert(kept.end(), folded.begin() + start, folded.begin() + at);
  }
  std::string result(3 * kept.size() + 1, '\0');
  std::int32_t bytes = 0;
  u_strToUTF8(result.data(), static_cast<std::int32_t>(result.size()), &bytes, kept.data(),
              static_cast<std::int32_t>(kept.size()), &status);
  EXPECT_TRUE(U_SUCCESS(status));
  result.resize(static_cast<std::size_t>(bytes));
  return result;
}

TEST(UnicodeWords, FoldsCase) {
  EXPECT_EQ(split("Straße"), Tokens{"strasse"});
  EXPECT_EQ(split("ÄPFEL"), Tokens{"äpfel"});
  EXPECT_EQ(split("КНИГА"), Tokens{"книга"});
  EXPECT_EQ(split("ǅ"), Tokens{"dž"});
  EXPECT_EQ(split("ŉ"), Tokens{"ʼn"});
  EXPECT_EQ(split("İstanbul"), Tokens{"i\u0307stanbul"});
  EXPECT_EQ(split("ıI"), Tokens{"ıi"});
}

TEST(UnicodeWords, FoldsFinalSigmaToSigma) {
  EXPECT_EQ(split("ΟΔΥΣΣΕΥΣ"), Tokens{"οδυσσευσ"});
  EXPECT_EQ(split("οδυσσευς"), Tokens{"οδυσσευσ"});
}

TEST(UnicodeWords, FoldsCompatibilityForms) {
  EXPECT_EQ(split("ﬁne"), Tokens{"fine"});
  EXPECT_EQ(split("eﬃcient"), Tokens{"efficient"});
  EXPECT_EQ(split("ｆｕｌｌＷＩＤＴＨ１２"), Tokens{"fullwidth12"});
  EXPECT_EQ(split("x²"), Tokens{"x2"});
  EXPECT_EQ(split("Ⅷ"), Tokens{"viii"});
  EXPECT_EQ(split("𝔘𝔫𝔦"), Tokens{"uni"});
  EXPECT_EQ(split("ﾊﾟ"), split("パ"));
  EXPECT_EQ(split("½"), (Tokens{"1", "2"}));  // a fraction slash between
  EXPECT_EQ(split("ﷺ"), split("صلى-الله-عليه-وسلم"));
  EXPECT_EQ(split("ﷺ").size(), 4U);
}

TEST(UnicodeWords, ComposesMarksAndKeepsThoseThatStay) {
  EXPECT_EQ(split("e\u0301te\u0301"), Tokens{"été"});
  EXPECT_EQ(split("\u1E9B\u0323"), Tokens{"\u1E69"});
  EXPECT_EQ(split("q\u0323"), Tokens{"q\u0323"});
  EXPECT_EQ(split("हिन्दी"), Tokens{"हिन्दी"});  // vowel signs and virama are marks
  EXPECT_EQ(split("שָׁלוֹם"), Tokens{join(split("שָׁלוֹם"))});
  EXPECT_EQ(split("\u0301"), Tokens{"\u0301"});
}

TEST(UnicodeWords, DropsWhatFoldingIgnores) {
  EXPECT_EQ(split("naï\u00ADve"), Tokens{"naïve"});  // soft hyphen
  EXPECT_EQ(split("a\u200Bb"), Tokens{"ab"});        // zero width space
  EXPECT_EQ(split("\u00AD\u200B"), Tokens{});
}

TEST(UnicodeWords, SeparatesAtEverythingElse) {
  EXPECT_EQ(split("don’t"), (Tokens{"don", "t"}));
  EXPECT_EQ(split("one—two"), (Tokens{"one", "two"}));
  EXPECT_EQ(split("a\u00A0b"), (Tokens{"a", "b"}));
  EXPECT_EQ(split("«été»"), Tokens{"été"});
  EXPECT_EQ(split("10€"), Tokens{"10"});
  EXPECT_EQ(split("😀"), Tokens{});
  EXPECT_EQ(split("a😀b"), (Tokens{"a", "b"}));
  EXPECT_EQ(split(""), Tokens{});
}

TEST(UnicodeWords, SeparatesAtReplacementCharactersAndIllFormedBytes) {
  EXPECT_EQ(split("a\uFFFDb"), (Tokens{"a", "b"}));
  EXPECT_EQ(split("\uFFFD\uFFFD"), Tokens{});
  EXPECT_EQ(split("a\xFF"
                  "b"),
            (Tokens{"a", "b"}));
  EXPECT_EQ(split("a\xC3"), Tokens{"a"});                      // cut
  EXPECT_EQ(split("\x80z"), Tokens{"z"});                      // a tail alone
  EXPECT_EQ(split("a\xED\xA0\x80z"), (Tokens{"a", "z"}));      // a surrogate
  EXPECT_EQ(split("a\xC0\xAFz"), (Tokens{"a", "z"}));          // overlong
  EXPECT_EQ(split("a\xF4\x90\x80\x80z"), (Tokens{"a", "z"}));  // above U+10FFFF
}

TEST(UnicodeWords, FindsWordsInScriptsWithoutSpaces) {
  EXPECT_EQ(split("ภาษาไทยง่าย"), (Tokens{"ภาษา", "ไทย", "ง่าย"}));
  EXPECT_GT(split("東京都に住んでいます").size(), 3U);
  EXPECT_GT(split("中华人民共和国成立了").size(), 1U);
  for (const char* text : {"ភាសាខ្មែរងាយស្រួល", "ພາສາລາວງ່າຍ", "မြန်မာဘာသာစကား"}) {
    EXPECT_EQ(join(split(text)), folded_word_characters(text));
    EXPECT_GT(split(text).size(), 1U) << text;
  }
}

TEST(UnicodeWords, BreaksBetweenSpacedAndUnspacedScripts) {
  const Tokens mixed = split("windows10の使い方");
  ASSERT_GE(mixed.size(), 3U);
  EXPECT_EQ(mixed[0], "windows10");
  EXPECT_EQ(mixed[1], "の");
  EXPECT_EQ(join(mixed), "windows10の使い方");
  const Tokens inner = split("iPhoneを2台");
  EXPECT_EQ(inner, (Tokens{"iphone", "を", "2", "台"}));
  EXPECT_EQ(split("한국어"), Tokens{"한국어"});  // Korean is written with spaces
}

TEST(UnicodeWords, LetsMarksFollowTheirScript) {
  const Tokens dakuten = split("abcか\u3099def");  // composes
  EXPECT_EQ(join(dakuten), "abcがdef");
  EXPECT_EQ(dakuten.front(), "abc");
  EXPECT_EQ(dakuten.back(), "def");
}

// For any text, all tokens together are the folded letters, numbers and marks, and each is its own folding.
TEST(UnicodeWords, LosesAndInventsNothing) {
  UnicodeWords words;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    const std::string text = testing::random_text(random, 200);
    const Tokens tokens = split(words, text);
    ASSERT_EQ(join(tokens), folded_word_characters(text)) << "seed " << seed;
    for (const std::string& token : tokens) {
      ASSERT_FALSE(token.empty());
      ASSERT_EQ(folded_word_characters(token), token) << "seed " << seed;
    }
  }
}

TEST(UnicodeWords, LosesNothingOfAnyCharacter) {
  UnicodeWords words;
  for (UChar32 c = 0x80; c <= 0x10FFFF; c += c < 0x20000 ? 1 : 509) {
    if (U_IS_SURROGATE(c)) continue;
    char text[U8_MAX_LENGTH];
    std::int32_t bytes = 0;
    U8_APPEND_UNSAFE(text, bytes, c);
    const std::string_view word(text, static_cast<std::size_t>(bytes));
    ASSERT_EQ(join(split(words, word)), folded_word_characters(word)) << std::hex << c;
  }
}

TEST(UnicodeWords, TakesWordsOfTheLongestLengthInLinearTime) {
  UnicodeWords words;
  for (const char* fragment : {"中文分词", "ไทย", "é", "\u0301", "ﷺ", "\uFFFD", "\xFF", "カ"}) {
    std::string word;
    while (word.size() + 12 <= 65536) word += fragment;
    const auto start = std::chrono::steady_clock::now();
    const Tokens tokens = split(words, word);
    EXPECT_EQ(join(tokens), folded_word_characters(word));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << fragment;
  }
}

TEST(UnicodeWords, TellsItsVersion) { EXPECT_FALSE(UnicodeWords::icu_version().empty()); }

// NFKC_CF mappings as Unicode publishes them, where the system has them.
TEST(UnicodeWords, FoldsAsTheUnicodeDatabaseSays) {
  const char* const named = std::getenv("SPILLWAY_UNICODE_DATA");
  const std::string directory = named != nullptr ? named : "/usr/share/unicode";
  std::ifstream properties(directory + "/DerivedNormalizationProps.txt");
  if (!properties) GTEST_SKIP() << "no Unicode database at " << directory << " (package unicode-data)";
  UnicodeWords words;
  std::size_t checked = 0;
  for (std::string line; std::getline(properties, line);) {
    const auto marker = line.find("; NFKC_CF;");
    if (marker == std::string::npos || line.find("..") < marker) continue;
    const auto code = static_cast<UChar32>(std::stoul(line, nullptr, 16));
    char text[U8_MAX_LENGTH];
    std::int32_t bytes = 0;
    U8_APPEND_UNSAFE(text, bytes, code);
    std::string expected;
    const std::string mapping = line.substr(marker + 10, line.find('#') - marker - 10);
    for (std::size_t at = mapping.find_first_of("0123456789ABCDEF"); at < mapping.size();) {
      std::size_t used = 0;
      const auto mapped = static_cast<UChar32>(std::stoul(mapping.substr(at), &used, 16));
      if ((U_GET_GC_MASK(mapped) & (U_GC_L_MASK | U_GC_N_MASK | U_GC_M_MASK)) != 0) {
        char out[U8_MAX_LENGTH];
        std::int32_t out_bytes = 0;
        U8_APPEND_UNSAFE(out, out_bytes, mapped);
        expected.append(out, static_cast<std::size_t>(out_bytes));
      }
      at = mapping.find_first_of("0123456789ABCDEF", at + used);
    }
    ASSERT_EQ(join(split(words, {text, static_cast<std::size_t>(bytes)})), expected) << line;
    ++checked;
  }
  EXPECT_GT(checked, 5000U);
}

}  // namespace
}  // namespace spillway
