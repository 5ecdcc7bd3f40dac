#include "search/query.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"

namespace spillway {
namespace {

ContentOptions options() {
  ContentOptions made;
  made.tokenizer = Tokenizer::kAscii;
  made.stop_words = "the\n";
  made.stemmer = "porter";
  return made;
}

// "+a" or "a b~2*3 -(c d)": words with their places, times, groups.
std::string shown(const Query& query) {
  std::string text;
  for (const QueryClause& clause : query.clauses) {
    text += text.empty() ? "" : " ";
    text += clause.is_required ? "+" : "";
    for (std::size_t i = 0; i < clause.words.size(); ++i) {
      text += (i == 0 ? "" : "_") + clause.words[i].term;
      if (clause.words[i].place != i) text += "@" + std::to_string(clause.words[i].place);
    }
    text += "*" + std::to_string(clause.count);
  }
  for (const auto& group : query.excluded) {
    text += " -(";
    for (const std::size_t place : group) text += query.clauses[place].words.front().term + ",";
    text += ")";
  }
  return text;
}

std::string parsed(std::string_view text) {
  Analyzer analyzer(options());
  return shown(parse_query(analyzer, text));
}

TEST(ParseQuery, TakesWordsAsTermsThatMayBeMissing) {
  EXPECT_EQ(parsed("Sorting  heaps,\tsorted"), "sort*2 heap*1");
  EXPECT_EQ(parsed(""), "");
  EXPECT_EQ(parsed("the ... "), "");
}

TEST(ParseQuery, TakesSignsAtTheBeginOfAnItem) {
  EXPECT_EQ(parsed("+sort heap -merge"), "+sort*1 heap*1 merg*0 -(merg,)");
  EXPECT_EQ(parsed("out-of-core c++ a+b"), "out*1 of*1 core*1 c*1 a*1 b*1");
  EXPECT_EQ(parsed("sort - merge + heap -"), "sort*1 merg*1 heap*1") << "a sign alone is punctuation";
  EXPECT_EQ(parsed("word +word -word"), "+word*2 -(word,)");
}

TEST(ParseQuery, TakesAllWordsOfAnItemThatIsSplit) {
  EXPECT_EQ(parsed("+out-of-core"), "+out*1 +of*1 +core*1");
  EXPECT_EQ(parsed("a -out-of-core"), "a*1 out*0 of*0 core*0 -(out,of,core,)");
}

TEST(ParseQuery, KeepsTheGapsOfPhrases) {
  EXPECT_EQ(parsed("\"merge sort\" sort"), "merg_sort*1 sort*1");
  EXPECT_EQ(parsed("\"end of the line\""), "end_of_line@3*1");
  EXPECT_EQ(parsed("+\"the the merge the sort\" -\"a b\""), "+merg_sort@2*1 a_b*0 -(a,)");
  EXPECT_EQ(parsed("\"merge sort\" \"Merges, sorts\""), "merg_sort*2") << "equal after analysis";
  EXPECT_EQ(parsed("\"sort\" sort"), "sort*2") << "a phrase of one word is the word";
  EXPECT_EQ(parsed("\"the\" +\"\" sort"), "sort*1");
  EXPECT_EQ(parsed("\"a b\"c"), "a_b*1 c*1");
  EXPECT_EQ(parsed("\"a b\" \"a the b\" \"b a\" \"a b\" -\"a the b\""), "a_b*2 a_b@2*1 b_a*1 -(a,)");
  EXPECT_EQ(parsed("\"a b\" ab \"ab c\" \"a bc\""), "a_b*1 ab*1 ab_c*1 a_bc*1");
}

TEST(ParseQuery, RefusesAPhraseWithoutAnEnd) {
  EXPECT_THROW(parsed("sort \"merge of"), UsageError);
  EXPECT_EQ(parsed("5\" disk"), "5*1 disk*1") << "not at the begin of an item";
}

TEST(FoundBy, ListsTermsWithoutExcludedOnes) {
  Analyzer analyzer(options());
  const auto terms = found_by(parse_query(analyzer, "+sort \"merge sort\" -heap disk"));
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[0].term, "sort");
  EXPECT_EQ(terms[0].count, 2u);
  EXPECT_EQ(terms[1].term, "merg");
  EXPECT_EQ(terms[2].term, "disk");
}

TEST(QueryTerms, KeepTheOrderOfTheirFirstOccurrenceAndAreCounted) {
  Analyzer analyzer(options());
  const auto terms = query_terms(analyzer, "The sorted, SORTING the heaps: sort a heap");
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[0].term, "sort");
  EXPECT_EQ(terms[0].count, 3u);
  EXPECT_EQ(terms[1].term, "heap");
  EXPECT_EQ(terms[1].count, 2u);
  EXPECT_EQ(terms[2].term, "a");
  EXPECT_TRUE(query_terms(analyzer, " the ... ").empty());
}

}  // namespace
}  // namespace spillway
