#include "text/analysis/analyzer.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/inverted_oracle.hpp"

namespace spillway {
namespace {

using Terms = std::vector<std::string>;

Terms analyze(const ContentOptions& options, std::string_view text) {
  Terms terms;
  Analyzer(options).analyze(text, [&](std::string_view term) { terms.emplace_back(term); });
  return terms;
}

Terms tokenize(const ContentOptions& options, std::string_view text) {
  Terms tokens;
  Analyzer(options).tokenize(text, [&](std::string_view token) { tokens.emplace_back(token); });
  return tokens;
}

ContentOptions ascii() {
  ContentOptions options;
  options.tokenizer = Tokenizer::kAscii;
  return options;
}

TEST(Analyzer, AsciiTakesLettersAndDigitsAndLowersThem) {
  EXPECT_EQ(analyze(ascii(), "The quick-brown FOX_42, naïve!"),
            (Terms{"the", "quick", "brown", "fox", "42", "na", "ve"}));
  EXPECT_EQ(analyze(ascii(), ""), Terms{});
  EXPECT_EQ(analyze(ascii(), " .,;\n\t\x01\x7F[]@`{"), Terms{});
}

TEST(Analyzer, UnicodeAgreesWithAsciiOnPureAsciiWords) {
  std::mt19937_64 random(1);
  std::string text;
  for (int i = 0; i < 20000; ++i) text.push_back(static_cast<char>(random() % 128));
  EXPECT_EQ(analyze(ContentOptions{}, text), analyze(ascii(), text));
}

TEST(Analyzer, UnicodeFoldsTheOtherWords) {
  EXPECT_EQ(analyze(ContentOptions{}, "Die GROẞE Straße 10€"), (Terms{"die", "grosse", "strasse", "10"}));
  EXPECT_EQ(analyze(ContentOptions{},
                    "bad\xFF\xFE"
                    "utf8"),
            (Terms{"bad", "utf8"}));
}

TEST(Analyzer, StopsThenStems) {
  ContentOptions options = ascii();
  options.stop_words = "the\n";
  options.stemmer = "porter";
  EXPECT_EQ(analyze(options, "The runners were running"), (Terms{"runner", "were", "run"}));
  EXPECT_EQ(tokenize(options, "The runners were running"), (Terms{"the", "runners", "were", "running"}));
}

TEST(Analyzer, DropsOverlongTokens) {
  ContentOptions options = ascii();
  options.max_term_bytes = 4;
  EXPECT_EQ(analyze(options, "one three four"), (Terms{"one", "four"}));
}

TEST(Analyzer, CanBeUsedAgain) {
  Analyzer analyzer(ascii());
  for (int i = 0; i < 3; ++i) {
    Terms terms;
    analyzer.analyze("ends inside", [&](std::string_view term) { terms.emplace_back(term); });
    EXPECT_EQ(terms, (Terms{"ends", "inside"}));
  }
}

TEST(Analyzer, AgreesWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    ContentOptions options;
    options.tokenizer = seed % 2 == 0 ? Tokenizer::kUnicode : Tokenizer::kAscii;
    options.stemmer = seed % 3 == 0 ? "english" : "none";
    options.stop_words = seed % 4 < 2 ? "ni\nta\n" : "";
    options.max_term_bytes = seed % 5 == 0 ? 6 : 255;
    testing::OracleDocument document;
    document.text = testing::random_text(random, 2000, 400);
    const testing::InvertedOracle oracle = testing::invert({document}, options);
    std::map<std::string, testing::InvertedOracle::List> lists;
    for (const std::string& term : analyze(options, document.text)) ++lists[term][0];
    ASSERT_EQ(lists, oracle.lists) << "seed " << seed;
  }
}

TEST(StopWords, AreTokensSortedAndDistinct) {
  EXPECT_EQ(normalize_stop_words("the\nA\n the\r\nand it's\n\n", ascii()), "a\nand\nit\ns\nthe\n");
  EXPECT_EQ(normalize_stop_words("Été ÜBER", ContentOptions{}), "été\nüber\n");
  EXPECT_EQ(normalize_stop_words("", ascii()), "");
}

TEST(StopWords, AreNotStoppedOrStemmedThemselves) {
  ContentOptions options = ascii();
  options.stop_words = "the\n";
  options.stemmer = "porter";
  EXPECT_EQ(normalize_stop_words("the running", options), "running\nthe\n");
}

TEST(IsAscii, SeesEveryByte) {
  EXPECT_TRUE(is_ascii(""));
  EXPECT_TRUE(
      is_ascii("\x7F"
               "abc"));
  EXPECT_FALSE(is_ascii("abc\x80"));
  EXPECT_FALSE(is_ascii("é"));
}

}  // namespace
}  // namespace spillway
