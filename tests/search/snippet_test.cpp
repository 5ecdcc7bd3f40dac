#include "search/snippet.hpp"

#include <gtest/gtest.h>

#include <random>

#include "corpora/document/utf8.hpp"

namespace spillway {
namespace {

std::string snippet_of(std::string_view text, std::vector<std::string> terms, ContentOptions options = {}) {
  SnippetMaker maker(options, std::move(terms));
  return marked_text(maker.make(text), "[", "]");
}

std::string words(const std::string& word, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += word + " ";
  return text;
}

TEST(Snippet, MarksMatchesOfAShortText) {
  EXPECT_EQ(snippet_of("A man on the Moon.", {"moon", "man"}), "A [man] on the [Moon].");
  EXPECT_EQ(snippet_of(" one\n\t two ", {"two"}), "one [two]");
  EXPECT_EQ(snippet_of("nothing here", {"moon"}), "nothing here");
  EXPECT_EQ(snippet_of("", {"moon"}), "");
  EXPECT_EQ(snippet_of("moonlight moon-light", {"moon"}), "moonlight [moon]-light");
}

TEST(Snippet, ShowsTheStretchWithMostDistinctTerms) {
  const std::string text =
      "one one one " + words("filler", 100) + "one and two " + words("filler", 100) + "two two two";
  const std::string snippet = snippet_of(text, {"one", "two"});
  EXPECT_NE(snippet.find("[one] and [two]"), std::string::npos) << snippet;
  EXPECT_TRUE(snippet.starts_with("...filler") && snippet.ends_with("filler...")) << snippet;
  EXPECT_LE(snippet.size(), SnippetMaker::kSnippetBytes + 10);
  EXPECT_GE(snippet.size(), SnippetMaker::kSnippetBytes - 70);
}

TEST(Snippet, WithoutAMatchIsTheStart) {
  const std::string snippet = snippet_of(words("filler", 100), {"x"});
  EXPECT_TRUE(snippet.starts_with("filler filler") && snippet.ends_with("filler...")) << snippet;
}

// Marks what the index finds: stems, folded case and width, words of scripts without spaces.
TEST(Snippet, FollowsTheAnalysisOfTheIndex) {
  ContentOptions stemming;
  stemming.stemmer = "english";
  EXPECT_EQ(snippet_of("Running runs runner", {"run"}, stemming), "[Running] [runs] runner");
  EXPECT_EQ(snippet_of("\u00C9t\u00E9 \u00E9t\u00E9s", {"\u00E9t\u00E9"}), "[\u00C9t\u00E9] \u00E9t\u00E9s");
  EXPECT_EQ(snippet_of("\uFF2D\uFF4F\uFF4F\uFF4E moon", {"moon"}), "[\uFF2D\uFF4F\uFF4F\uFF4E] [moon]");
  ContentOptions ascii;
  ascii.tokenizer = Tokenizer::kAscii;
  EXPECT_EQ(snippet_of("caf\u00E9 au lait", {"caf"}, ascii), "[caf]\u00E9 au lait");
  // Two words of Chinese, the second asked for.
  std::vector<std::string> tokens;
  Analyzer({}).analyze("\u4E2D\u56FD\u7ECF\u6D4E", [&](std::string_view term) { tokens.emplace_back(term); });
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(snippet_of("\u4E2D\u56FD\u7ECF\u6D4E", {tokens[1]}), "\u4E2D\u56FD[\u7ECF\u6D4E]");
}

// A word that is longer than a snippet is cut, also if a token in it has another form than the term.
TEST(Snippet, IsShortInLongWords) {
  std::string run;
  for (int i = 0; i < 300; ++i) run += "\u4E2D\u56FD\u7ECF\u6D4E";
  const std::string wide = "\uFF2D\uFF4F\uFF4F\uFF4E";
  for (const std::string& word : {std::string("moon"), wide}) {
    SnippetMaker maker({}, {"moon"});
    const Snippet snippet = maker.make(run + word + run);
    ASSERT_EQ(snippet.marks.size(), 1U) << snippet.text;
    const auto [begin, end] = snippet.marks[0];
    EXPECT_NE(snippet.text.substr(begin, end - begin).find(word), std::string::npos) << snippet.text;
    EXPECT_LE(snippet.text.size(), SnippetMaker::kSnippetBytes + 10);
    EXPECT_TRUE(is_valid_utf8(snippet.text)) << snippet.text;
  }
}

TEST(Snippet, IsPrintableOnlyWhereAsked) {
  SnippetMaker maker({}, {"moon", "sun"});
  const Snippet snippet = maker.make("a\x1B[1m moon \u202E sun\x7F");
  EXPECT_EQ(marked_text(snippet, "[", "]"), "a\x1B[1m [moon] \u202E [sun]\x7F");
  EXPECT_EQ(marked_text(printable(snippet), "[", "]"), "a\\x1B[1m [moon] \\u{202E} [sun]\\x7F");
}

// For any text and terms: valid UTF-8, ordered marks that are matches, and no more bytes than promised.
TEST(Snippet, IsSoundForRandomTexts) {
  std::mt19937_64 random(5);
  const char* const fragments[] = {
      "moon", "Sun", " ", "\n", "\u00E9", "\u4E2D\u56FD", ".", "filler ", "\xF0\x9F\x98\x80"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (auto i = random() % 300; i > 0; --i) text += fragments[random() % std::size(fragments)];
    SnippetMaker maker({}, {"moon", "sun", "moonsun"});
    const Snippet snippet = maker.make(text);
    ASSERT_TRUE(is_valid_utf8(snippet.text)) << text;
    std::size_t before = 0;
    for (const auto& [begin, end] : snippet.marks) {
      ASSERT_TRUE(before <= begin && begin < end && end <= snippet.text.size()) << text;
      bool matches = false;
      Analyzer({}).analyze(snippet.text.substr(begin, end - begin), [&](std::string_view term) {
        matches = matches || term == "moon" || term == "sun" || term == "moonsun";
      });
      ASSERT_TRUE(matches) << text;
      before = end;
    }
  }
}

}  // namespace
}  // namespace spillway
