#include "text/scan/word_scanner.hpp"

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/support/guarded_text.hpp"
#include "tests/support/inverted_oracle.hpp"

namespace spillway {
namespace {

using testing::GuardedText;
using testing::naive_words;

constexpr std::size_t kRange = kScanBytes;
constexpr std::size_t kLongest = WordScanner::kMaxWordBytes;

class Words {
 public:
  void scan(WordScanner& scanner, std::string_view fragment) { scanner.scan(fragment, *this); }
  void finish(WordScanner& scanner) { scanner.finish(*this); }
  void operator()(std::string_view word) {
    EXPECT_FALSE(word.empty());
    words.emplace_back(word);
  }
  std::vector<std::string> words;
};

WordBytes words_of(Tokenizer tokenizer) {
  return tokenizer == Tokenizer::kAscii ? WordBytes::kAlphanumeric : WordBytes::kWithHighBytes;
}

std::vector<std::string> scan_fragments(const std::vector<std::string>& fragments, Tokenizer tokenizer) {
  WordScanner scanner(words_of(tokenizer));
  Words words;
  for (const std::string& fragment : fragments) words.scan(scanner, GuardedText(fragment).view());
  words.finish(scanner);
  return words.words;
}

std::vector<std::string> cut_at_random(std::string_view text, std::size_t longest, std::mt19937_64& random) {
  std::vector<std::string> fragments;
  while (!text.empty()) {
    const std::size_t bytes = std::min<std::size_t>(text.size(), random() % (longest + 1));
    fragments.emplace_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return fragments;
}

class WordScannerTest : public ::testing::TestWithParam<Tokenizer> {};

TEST_P(WordScannerTest, FindsTheWordsOfATextCutInTwoAtEveryPlace) {
  std::mt19937_64 random(1);
  const std::string text = testing::random_text(random, 60);
  const std::vector<std::string> expected = naive_words(text, GetParam());
  ASSERT_GT(expected.size(), 40U);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    ASSERT_EQ(scan_fragments({text.substr(0, cut), text.substr(cut)}, GetParam()), expected) << cut;
  }
}

TEST_P(WordScannerTest, FindsTheWordsOfATextCutIntoManyFragments) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t longest = std::size_t{1} << (seed % 14);
    const std::string text = testing::random_text(random, 10 + 20 * longest, 2 * longest);
    ASSERT_EQ(scan_fragments(cut_at_random(text, longest, random), GetParam()), naive_words(text, GetParam()))
        << "seed " << seed;
  }
}

TEST_P(WordScannerTest, JoinsWordsOverRangeBorders) {
  for (std::size_t begin = kRange - 70; begin <= kRange + 2; ++begin) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{2}, std::size_t{63}, std::size_t{64}, std::size_t{70},
                                    kRange - 1, kRange, kRange + 1, 3 * kRange}) {
      const std::string text = std::string(begin, '.') + std::string(bytes, 'a') + ". end";
      ASSERT_EQ(scan_fragments({text}, GetParam()), naive_words(text, GetParam())) << begin << " " << bytes;
    }
  }
}

TEST_P(WordScannerTest, StartsAfreshAfterFinish) {
  WordScanner scanner(words_of(GetParam()));
  Words words;
  words.scan(scanner, "one tw");
  words.finish(scanner);
  words.scan(scanner, "o");
  words.finish(scanner);
  words.finish(scanner);
  EXPECT_EQ(words.words, (std::vector<std::string>{"one", "tw", "o"}));
}

TEST_P(WordScannerTest, HandsOutRangesOfBoundedSize) {
  WordScanner scanner(words_of(GetParam()));
  std::mt19937_64 random(5);
  std::string text = testing::random_text(random, 20000);
  for (int i = 0; i < 5000; ++i) text += "a ";  // as many words as possible
  const std::vector<std::string> expected = naive_words(text, GetParam());
  std::vector<std::string> words;
  std::size_t ranges = 0, since = 0, most = 0;
  const auto take = [&](std::string_view word) {
    words.emplace_back(word);
    most = std::max(most, ++since);
  };
  scanner.scan_ranges(
      text,
      [&](const ScannedWords& range) {
        for (std::size_t i = 0; i < range.edges.size(); i += 2) {
          const std::uint16_t begin = range.edges[i];
          const std::size_t bytes = std::size_t{range.edges[i + 1]} - begin;
          const std::string_view word(reinterpret_cast<const char*>(range.text) + begin, bytes);
          std::string lower(word);
          for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
          EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(range.lowered) + begin, bytes), lower);
          take(word);
        }
      },
      take,
      [&] {
        ++ranges;
        since = 0;
      });
  scanner.finish(take);
  EXPECT_EQ(words, expected);
  EXPECT_GE(ranges, text.size() / kRange);
  EXPECT_LE(most, kRange / 2 + 1);  // what the buffers of a parser must hold between two calls
}

TEST_P(WordScannerTest, KeepsWordsUpToTheLimitWhole) {
  for (const std::size_t bytes : {std::size_t{65535}, kLongest}) {
    const std::string text = "before " + std::string(bytes, 'a') + " after";
    for (const std::size_t fragment : {std::size_t{1000}, std::size_t{65536}, text.size()}) {
      std::vector<std::string> fragments;
      for (std::size_t at = 0; at < text.size(); at += fragment) fragments.push_back(text.substr(at, fragment));
      ASSERT_EQ(scan_fragments(fragments, GetParam()), naive_words(text, GetParam()))
          << bytes << " in fragments of " << fragment;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, WordScannerTest, ::testing::Values(Tokenizer::kAscii, Tokenizer::kUnicode),
                         [](const auto& param_info) {
                           return param_info.param == Tokenizer::kAscii ? "Ascii" : "Unicode";
                         });

// The rest of a token that is too long must not become a token.
TEST(LongWords, OfAsciiAreOneWordThatIsTooLongWhateverTheirLength) {
  for (const Tokenizer tokenizer : {Tokenizer::kAscii, Tokenizer::kUnicode}) {
    for (const std::size_t bytes : {kLongest + 1, kLongest + 5, 2 * kLongest, 2 * kLongest + 3, 5 * kLongest}) {
      const std::string text = "before " + std::string(bytes, 'a') + " after";
      for (const std::size_t fragment : {std::size_t{999}, std::size_t{4096}, text.size()}) {
        std::vector<std::string> fragments;
        for (std::size_t at = 0; at < text.size(); at += fragment) fragments.push_back(text.substr(at, fragment));
        const std::vector<std::string> words = scan_fragments(fragments, tokenizer);
        ASSERT_EQ(words.size(), 3U) << bytes << " in fragments of " << fragment;
        EXPECT_EQ(words[0], "before");
        EXPECT_GT(words[1].size(), 65535U);
        EXPECT_EQ(words[2], "after");
      }
    }
  }
}

// The same for other letters of scripts with spaces, wherever fragments and ranges end.
TEST(LongWords, OfLettersAreOneWordThatIsTooLong) {
  for (const char* letter : {"é", "ж", "a\u0301", "aβ", "שa"}) {
    for (std::size_t shift = 0; shift < 3; ++shift) {
      std::string word(shift, 'x');
      while (word.size() < 3 * kLongest) word += letter;
      const std::string text = "a " + word + " z";
      std::mt19937_64 random(shift);
      for (const std::vector<std::string>& fragments :
           {std::vector<std::string>{text}, cut_at_random(text, 30000, random)}) {
        const std::vector<std::string> words = scan_fragments(fragments, Tokenizer::kUnicode);
        ASSERT_EQ(words.size(), 3U) << letter;
        EXPECT_GE(words[1].size(), kLongest);
        EXPECT_LE(words[1].size(), kLongest + 1);
        EXPECT_TRUE(word.starts_with(words[1]));
        EXPECT_NE(static_cast<std::uint8_t>(word[words[1].size()]) & 0xC0, 0x80) << "ends inside a character";
      }
    }
  }
}

TEST(LongWords, OfOtherScriptsAreCutBetweenCharacters) {
  for (const char* character : {"中", "ไ", "𠮷"}) {
    for (std::size_t shift = 0; shift < 4; ++shift) {
      std::string word(shift, 'x');
      while (word.size() < 3 * kLongest) word += character;
      const std::string text = "a " + word + " z";
      std::mt19937_64 random(shift);
      const std::vector<std::string> whole = scan_fragments({text}, Tokenizer::kUnicode);
      ASSERT_EQ(scan_fragments(cut_at_random(text, 30000, random), Tokenizer::kUnicode), whole);
      ASSERT_GE(whole.size(), 5U);
      std::string joined;
      for (std::size_t i = 1; i + 1 < whole.size(); ++i) {
        EXPECT_LE(whole[i].size(), kLongest);
        EXPECT_NE(static_cast<std::uint8_t>(whole[i][0]) & 0xC0, 0x80) << "begins inside a character";
        joined += whole[i];
      }
      EXPECT_EQ(joined, word);
      EXPECT_EQ(whole.front(), "a");
      EXPECT_EQ(whole.back(), "z");
    }
  }
}

// A cut must not split a token.
TEST(LongWords, AreNotCutInsideALatinWord) {
  std::string han;
  while (han.size() < kLongest - 100) han += "中";
  const std::string latin(300, 'w');
  const std::vector<std::string> words = scan_fragments({han + latin + "中 z"}, Tokenizer::kUnicode);
  EXPECT_EQ(words, (std::vector<std::string>{han, latin + "中", "z"}));
}

// Such text has non-ASCII punctuation; cuts there keep its words whole.
TEST(LongWords, AreCutAfterPunctuationIfThereIsAny) {
  for (const char* mark : {"。", "、", "，", "！", "\u3000", "—", "…", "”", "\u00A0", "»"}) {
    std::string word;
    while (word.size() < 3 * kLongest) word += std::string("今天天气很好") + mark;
    const std::vector<std::string> words = scan_fragments({word}, Tokenizer::kUnicode);
    ASSERT_GE(words.size(), 3U);
    std::string joined;
    for (const std::string& part : words) {
      EXPECT_TRUE(part.ends_with(mark)) << mark;
      EXPECT_LE(part.size(), kLongest);
      joined += part;
    }
    EXPECT_EQ(joined, word);
  }
}

// After 64 KiB of letters, a character that may not belong to the same token starts a new word.
TEST(LongWords, OfLettersEndAtTheFirstCharacterOfAnotherKind) {
  const std::string text = std::string(kLongest + 1000, 'a') + "é中é z";
  for (const std::size_t fragment : {std::size_t{997}, std::size_t{5000}, text.size()}) {
    std::vector<std::string> fragments;
    for (std::size_t at = 0; at < text.size(); at += fragment) fragments.push_back(text.substr(at, fragment));
    const std::vector<std::string> words = scan_fragments(fragments, Tokenizer::kUnicode);
    ASSERT_EQ(words.size(), 3U);
    EXPECT_GT(words[0].size(), 65535U);
    EXPECT_EQ(words[1], "中é");
    EXPECT_EQ(words[2], "z");
  }
}

TEST(WordScannerPaths, AllGiveTheSameWords) {
  std::mt19937_64 random(9);
  const std::string text = testing::random_text(random, 3000, 9000);
  for (const Tokenizer tokenizer : {Tokenizer::kAscii, Tokenizer::kUnicode}) {
    for (const WordKernels& path : all_word_kernels(words_of(tokenizer))) {
      WordScanner scanner(path.find_edges);
      Words words;
      words.scan(scanner, text);
      words.finish(scanner);
      EXPECT_EQ(words.words, naive_words(text, tokenizer)) << path.name;
    }
  }
}

}  // namespace
}  // namespace spillway
