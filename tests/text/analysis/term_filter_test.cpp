#include "text/analysis/term_filter.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "io/base/error.hpp"
#include "tests/support/corpora_path.hpp"

namespace spillway {
namespace {

ContentOptions with_stemmer(const std::string& stemmer) {
  ContentOptions options;
  options.stemmer = stemmer;
  return options;
}

std::string term_of(TermFilter& filter, std::string_view token) {
  std::string_view term;
  EXPECT_EQ(filter.apply(token, &term), TokenFate::kKept) << token;
  return std::string(term);
}

TEST(TermFilter, WithoutStopWordsAndStemmerKeepsTokensAsTheyAre) {
  TermFilter filter{ContentOptions{}};
  EXPECT_TRUE(filter.is_identity());
  EXPECT_EQ(term_of(filter, "running"), "running");
}

TEST(TermFilter, StopsWordsOfTheListAndNoOthers) {
  ContentOptions options;
  options.stop_words = "a\nand\nété\nthe\n";
  TermFilter filter(options);
  EXPECT_FALSE(filter.is_identity());
  std::string_view term;
  for (const char* word : {"a", "and", "the", "été"}) EXPECT_EQ(filter.apply(word, &term), TokenFate::kStopped) << word;
  for (const char* word : {"an", "ande", "th", "ete", "b"}) EXPECT_EQ(term_of(filter, word), word);
}

TEST(TermFilter, ComparesStopWordsBeforeStemming) {
  ContentOptions options = with_stemmer("porter");
  options.stop_words = "running\n";
  TermFilter filter(options);
  std::string_view term;
  EXPECT_EQ(filter.apply("running", &term), TokenFate::kStopped);
  EXPECT_EQ(term_of(filter, "run"), "run");
  EXPECT_EQ(term_of(filter, "runs"), "run");
}

TEST(TermFilter, DropsTokensAboveTheLimitAndKeepsThoseAtIt) {
  for (const std::uint32_t limit : {1U, 5U, 255U, 65535U}) {
    ContentOptions options;
    options.max_term_bytes = limit;
    TermFilter filter(options);
    std::string_view term;
    EXPECT_EQ(term_of(filter, std::string(limit, 'x')), std::string(limit, 'x'));
    EXPECT_EQ(filter.apply(std::string(limit + 1, 'x'), &term), TokenFate::kOverlong);
  }
}

TEST(TermFilter, MeasuresTheTokenNotItsStem) {
  ContentOptions options = with_stemmer("porter");
  options.max_term_bytes = 5;
  TermFilter filter(options);
  std::string_view term;
  EXPECT_EQ(filter.apply("running", &term), TokenFate::kOverlong);
  EXPECT_EQ(term_of(filter, "runs"), "run");
}

TEST(TermFilter, StemsWordsOfOtherScripts) {
  TermFilter russian(with_stemmer("russian"));
  EXPECT_EQ(term_of(russian, "книгами"), term_of(russian, "книга"));
  TermFilter german(with_stemmer("german"));
  EXPECT_EQ(term_of(german, "häuser"), "haus");
}

TEST(TermFilter, NeverMakesATermEmpty) {
  for (const char* stemmer : {"porter", "english", "german", "french", "turkish", "russian"}) {
    TermFilter filter(with_stemmer(stemmer));
    for (const char* token : {"s", "ed", "ing", "'s", "0", "é", "ß", "y", "ые", "lar"}) {
      EXPECT_FALSE(term_of(filter, token).empty()) << stemmer << " " << token;
    }
  }
}

TEST(TermFilter, RefusesAStemmerThatIsNotThereNamingThoseThatAre) {
  try {
    TermFilter filter(with_stemmer("klingon\x1B"));
    FAIL() << "no exception";
  } catch (const UsageError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("klingon\\x1B"), std::string::npos) << message;
    EXPECT_NE(message.find("english"), std::string::npos) << message;
    EXPECT_NE(message.find("porter"), std::string::npos) << message;
  }
}

TEST(StemmerVersion, IsEmptyForNoneAndTellsStemmersApart) {
  EXPECT_EQ(TermFilter::stemmer_version("none"), "");
  std::set<std::string> versions;
  for (const char* stemmer : {"porter", "english", "german", "french", "russian", "finnish"}) {
    versions.insert(TermFilter::stemmer_version(stemmer));
    EXPECT_EQ(TermFilter::stemmer_version(stemmer), TermFilter::stemmer_version(stemmer));
  }
  EXPECT_EQ(versions.size(), 6U);
}

// Porter's own vocabulary and stems. Snowball's `porter` is his algorithm with published corrections, which change 27
// of these words. It stems one of them, "s", to nothing; the word stays, because a term is not empty.
TEST(TermFilter, PorterDiffersFromPortersOwnStemsWhereSnowballDoes) {
  const auto corpora = SPILLWAY_CORPORA_OR_SKIP();
  std::ifstream words(corpora + "/text/porter_voc.txt"), stems(corpora + "/text/porter_output.txt");
  ASSERT_TRUE(words && stems);
  TermFilter filter(with_stemmer("porter"));
  std::set<std::string> different;
  std::size_t count = 0;
  std::string word, stem;
  while (words >> word && stems >> stem) {
    ++count;
    if (term_of(filter, word) != stem) different.insert(word);
  }
  EXPECT_EQ(count, 23531U);
  EXPECT_EQ(different.size(), 26U);
  for (const char* known : {"apology", "as", "ay"}) EXPECT_TRUE(different.contains(known)) << known;
  EXPECT_FALSE(different.contains("s"));
}

}  // namespace
}  // namespace spillway
