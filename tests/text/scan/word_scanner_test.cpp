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
using testing::naive_runs;

constexpr std::size_t kWindow = kScanBytes;
constexpr std::size_t kLongest = WordScanner::kMaxWordBytes;

class Runs {
 public:
  void scan(WordScanner& scanner, std::string_view piece) { scanner.scan(piece, *this); }
  void finish(WordScanner& scanner) { scanner.finish(*this); }
  void operator()(std::string_view run) {
    EXPECT_FALSE(run.empty());
    runs.emplace_back(run);
  }
  std::vector<std::string> runs;
};

WordBytes words_of(Tokenizer tokenizer) {
  return tokenizer == Tokenizer::kAscii ? WordBytes::kAlphanumeric : WordBytes::kWithHighBytes;
}

std::vector<std::string> scan_pieces(const std::vector<std::string>& pieces, Tokenizer tokenizer) {
  WordScanner scanner(words_of(tokenizer));
  Runs runs;
  for (const std::string& piece : pieces) runs.scan(scanner, GuardedText(piece).view());
  runs.finish(scanner);
  return runs.runs;
}

std::vector<std::string> cut_at_random(std::string_view text, std::size_t longest, std::mt19937_64& random) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t bytes = std::min<std::size_t>(text.size(), random() % (longest + 1));
    pieces.emplace_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return pieces;
}

class RunScannerTest : public ::testing::TestWithParam<Tokenizer> {};

TEST_P(RunScannerTest, FindsTheRunsOfATextCutInTwoAtEveryPlace) {
  std::mt19937_64 random(1);
  const std::string text = testing::random_text(random, 60);
  const std::vector<std::string> expected = naive_runs(text, GetParam());
  ASSERT_GT(expected.size(), 40U);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    ASSERT_EQ(scan_pieces({text.substr(0, cut), text.substr(cut)}, GetParam()), expected) << cut;
  }
}

TEST_P(RunScannerTest, FindsTheRunsOfATextCutIntoManyPieces) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t longest = std::size_t{1} << (seed % 14);
    const std::string text = testing::random_text(random, 10 + 20 * longest, 2 * longest);
    ASSERT_EQ(scan_pieces(cut_at_random(text, longest, random), GetParam()), naive_runs(text, GetParam()))
        << "seed " << seed;
  }
}

TEST_P(RunScannerTest, JoinsRunsOverWindowBorders) {
  for (std::size_t begin = kWindow - 70; begin <= kWindow + 2; ++begin) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{2}, std::size_t{63}, std::size_t{64}, std::size_t{70},
                                    kWindow - 1, kWindow, kWindow + 1, 3 * kWindow}) {
      const std::string text = std::string(begin, '.') + std::string(bytes, 'a') + ". end";
      ASSERT_EQ(scan_pieces({text}, GetParam()), naive_runs(text, GetParam())) << begin << " " << bytes;
    }
  }
}

TEST_P(RunScannerTest, StartsAfreshAfterFinish) {
  WordScanner scanner(words_of(GetParam()));
  Runs runs;
  runs.scan(scanner, "one tw");
  runs.finish(scanner);
  runs.scan(scanner, "o");
  runs.finish(scanner);
  runs.finish(scanner);
  EXPECT_EQ(runs.runs, (std::vector<std::string>{"one", "tw", "o"}));
}

TEST_P(RunScannerTest, HandsOutWindowsOfBoundedSize) {
  WordScanner scanner(words_of(GetParam()));
  std::mt19937_64 random(5);
  std::string text = testing::random_text(random, 20000);
  for (int i = 0; i < 5000; ++i) text += "a ";  // as many runs as can be
  const std::vector<std::string> expected = naive_runs(text, GetParam());
  std::vector<std::string> runs;
  std::size_t windows = 0, since = 0, most = 0;
  const auto take = [&](std::string_view run) {
    runs.emplace_back(run);
    most = std::max(most, ++since);
  };
  scanner.scan_ranges(
      text,
      [&](const ScannedWords& window) {
        for (std::size_t i = 0; i < window.edges.size(); i += 2) {
          const std::uint16_t begin = window.edges[i];
          const std::size_t bytes = std::size_t{window.edges[i + 1]} - begin;
          const std::string_view run(reinterpret_cast<const char*>(window.text) + begin, bytes);
          std::string lower(run);
          for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
          EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(window.lowered) + begin, bytes), lower);
          take(run);
        }
      },
      take,
      [&] {
        ++windows;
        since = 0;
      });
  scanner.finish(take);
  EXPECT_EQ(runs, expected);
  EXPECT_GE(windows, text.size() / kWindow);
  EXPECT_LE(most, kWindow / 2 + 1);  // what a parser's buffers must hold between two calls
}

TEST_P(RunScannerTest, KeepsRunsUpToTheLimitWhole) {
  for (const std::size_t bytes : {std::size_t{65535}, kLongest}) {
    const std::string text = "before " + std::string(bytes, 'a') + " after";
    for (const std::size_t piece : {std::size_t{1000}, std::size_t{65536}, text.size()}) {
      std::vector<std::string> pieces;
      for (std::size_t at = 0; at < text.size(); at += piece) pieces.push_back(text.substr(at, piece));
      ASSERT_EQ(scan_pieces(pieces, GetParam()), naive_runs(text, GetParam())) << bytes << " in pieces of " << piece;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, RunScannerTest, ::testing::Values(Tokenizer::kAscii, Tokenizer::kUnicode),
                         [](const auto& param_info) {
                           return param_info.param == Tokenizer::kAscii ? "Ascii" : "Unicode";
                         });

// The tail of a token that is too long is no token of its own.
TEST(LongRuns, OfAsciiAreOneRunThatIsTooLongWhateverTheirLength) {
  for (const Tokenizer tokenizer : {Tokenizer::kAscii, Tokenizer::kUnicode}) {
    for (const std::size_t bytes : {kLongest + 1, kLongest + 5, 2 * kLongest, 2 * kLongest + 3, 5 * kLongest}) {
      const std::string text = "before " + std::string(bytes, 'a') + " after";
      for (const std::size_t piece : {std::size_t{999}, std::size_t{4096}, text.size()}) {
        std::vector<std::string> pieces;
        for (std::size_t at = 0; at < text.size(); at += piece) pieces.push_back(text.substr(at, piece));
        const std::vector<std::string> runs = scan_pieces(pieces, tokenizer);
        ASSERT_EQ(runs.size(), 3U) << bytes << " in pieces of " << piece;
        EXPECT_EQ(runs[0], "before");
        EXPECT_GT(runs[1].size(), 65535U);
        EXPECT_EQ(runs[2], "after");
      }
    }
  }
}

// So are those of other letters of spaced scripts, wherever pieces and windows end.
TEST(LongRuns, OfLettersAreOneRunThatIsTooLong) {
  for (const char* letter : {"é", "ж", "a\u0301", "aβ", "שa"}) {
    for (std::size_t shift = 0; shift < 3; ++shift) {
      std::string run(shift, 'x');
      while (run.size() < 3 * kLongest) run += letter;
      const std::string text = "a " + run + " z";
      std::mt19937_64 random(shift);
      for (const std::vector<std::string>& pieces :
           {std::vector<std::string>{text}, cut_at_random(text, 30000, random)}) {
        const std::vector<std::string> runs = scan_pieces(pieces, Tokenizer::kUnicode);
        ASSERT_EQ(runs.size(), 3U) << letter;
        EXPECT_GE(runs[1].size(), kLongest);
        EXPECT_LE(runs[1].size(), kLongest + 1);
        EXPECT_TRUE(run.starts_with(runs[1]));
        EXPECT_NE(static_cast<std::uint8_t>(run[runs[1].size()]) & 0xC0, 0x80) << "ends inside a character";
      }
    }
  }
}

TEST(LongRuns, OfOtherScriptsAreCutBetweenCharacters) {
  for (const char* character : {"中", "ไ", "𠮷"}) {
    for (std::size_t shift = 0; shift < 4; ++shift) {
      std::string run(shift, 'x');
      while (run.size() < 3 * kLongest) run += character;
      const std::string text = "a " + run + " z";
      std::mt19937_64 random(shift);
      const std::vector<std::string> whole = scan_pieces({text}, Tokenizer::kUnicode);
      ASSERT_EQ(scan_pieces(cut_at_random(text, 30000, random), Tokenizer::kUnicode), whole);
      ASSERT_GE(whole.size(), 5U);
      std::string joined;
      for (std::size_t i = 1; i + 1 < whole.size(); ++i) {
        EXPECT_LE(whole[i].size(), kLongest);
        EXPECT_NE(static_cast<std::uint8_t>(whole[i][0]) & 0xC0, 0x80) << "begins inside a character";
        joined += whole[i];
      }
      EXPECT_EQ(joined, run);
      EXPECT_EQ(whole.front(), "a");
      EXPECT_EQ(whole.back(), "z");
    }
  }
}

// A cut must not make a token of a part of one.
TEST(LongRuns, AreNotCutInsideALatinWord) {
  std::string run;
  while (run.size() < kLongest - 100) run += "中";
  const std::string word(300, 'w');
  const std::vector<std::string> runs = scan_pieces({run + word + "中 z"}, Tokenizer::kUnicode);
  EXPECT_EQ(runs, (std::vector<std::string>{run, word + "中", "z"}));
}

// Such text has punctuation, if not of ASCII; cut there, its words stay whole.
TEST(LongRuns, AreCutBehindPunctuationWhereThereIsSome) {
  for (const char* mark : {"。", "、", "，", "！", "\u3000", "—", "…", "”", "\u00A0", "»"}) {
    std::string run;
    while (run.size() < 3 * kLongest) run += std::string("今天天气很好") + mark;
    const std::vector<std::string> runs = scan_pieces({run}, Tokenizer::kUnicode);
    ASSERT_GE(runs.size(), 3U);
    std::string joined;
    for (const std::string& part : runs) {
      EXPECT_TRUE(part.ends_with(mark)) << mark;
      EXPECT_LE(part.size(), kLongest);
      joined += part;
    }
    EXPECT_EQ(joined, run);
  }
}

// Behind 64 KiB of letters without a break, what is not surely of the same token is cut off, and counts again.
TEST(LongRuns, OfLettersEndAtTheFirstCharacterOfAnotherKind) {
  const std::string text = std::string(kLongest + 1000, 'a') + "é中é z";
  for (const std::size_t piece : {std::size_t{997}, std::size_t{5000}, text.size()}) {
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < text.size(); at += piece) pieces.push_back(text.substr(at, piece));
    const std::vector<std::string> runs = scan_pieces(pieces, Tokenizer::kUnicode);
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_GT(runs[0].size(), 65535U);
    EXPECT_EQ(runs[1], "中é");
    EXPECT_EQ(runs[2], "z");
  }
}

TEST(RunScannerPaths, AllGiveTheSameRuns) {
  std::mt19937_64 random(9);
  const std::string text = testing::random_text(random, 3000, 9000);
  for (const Tokenizer tokenizer : {Tokenizer::kAscii, Tokenizer::kUnicode}) {
    for (const WordKernels& path : all_word_kernels(words_of(tokenizer))) {
      WordScanner scanner(path.find_edges);
      Runs runs;
      runs.scan(scanner, text);
      runs.finish(scanner);
      EXPECT_EQ(runs.runs, naive_runs(text, tokenizer)) << path.name;
    }
  }
}

}  // namespace
}  // namespace spillway
