// Queries in the query language: what is parsed is found alike by both rankers, a query without signs and quotes means
// its terms, and snippets mark the terms of the query.
#include "search/query.hpp"

#include "corpora/document/utf8.hpp"
#include "io/base/error.hpp"
#include "io/index/reader.hpp"
#include "search/block_max_ranker.hpp"
#include "search/exhaustive_ranker.hpp"
#include "search/snippet.hpp"
#include "tests/fuzz/support/target.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/golden_index.hpp"

using namespace spillway;

namespace {

// The golden index, open for searches.
struct Searched {
  Searched() {
    spillway::testing::SampleIndex sample = spillway::testing::golden_sample();
    spillway::testing::write_sample(files, "/job/index", sample);
    index.emplace(files, "/job/index");
    bm25.emplace(index->counts(), Bm25Parameters{});
    exhaustive.emplace(*index, *bm25);
    pruned.emplace(*index, *bm25, 6);
    analyzer.emplace(index->options());
  }
  spillway::testing::FaultyFileSystem files;
  std::optional<IndexReader> index;
  std::optional<Bm25> bm25;
  std::optional<ExhaustiveRanker> exhaustive;
  std::optional<BlockMaxRanker> pruned;
  std::optional<Analyzer> analyzer;
};

void check_clauses(const Query& query) {
  for (const QueryClause& clause : query.clauses) {
    ASSERT_FALSE(clause.words.empty());
    EXPECT_EQ(clause.words.front().place, 0u);
    for (const auto& word : clause.words) EXPECT_FALSE(word.term.empty());
  }
  for (const auto& group : query.excluded) {
    EXPECT_FALSE(group.empty());
    for (const std::size_t clause : group) EXPECT_LT(clause, query.clauses.size());
  }
}

void check_plain(const Query& query, const std::vector<QueryTerm>& terms) {
  ASSERT_EQ(query.clauses.size(), terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    EXPECT_EQ(query.clauses[i].words.front().term, terms[i].term);
    EXPECT_EQ(query.clauses[i].count, terms[i].count);
  }
}

void check_ranking(Searched& searched, const Query& query, std::size_t k) {
  const auto expected = searched.exhaustive->best(query, k), found = searched.pruned->best(query, k);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].document, expected[i].document);
    EXPECT_EQ(found[i].score, expected[i].score);
  }
}

void check_snippet(const Searched& searched, const Query& query, const std::string& text) {
  std::vector<std::string> terms;
  for (const QueryTerm& term : found_by(query)) terms.push_back(term.term);
  const Snippet snippet = SnippetMaker(searched.index->options(), terms).make(text);
  EXPECT_TRUE(is_valid_utf8(snippet.text));
  std::size_t end = 0;
  for (const auto& [mark_begin, mark_end] : snippet.marks) {
    EXPECT_TRUE(end <= mark_begin && mark_begin < mark_end && mark_end <= snippet.text.size());
    end = mark_end;
  }
  EXPECT_EQ(marked_text(printable(snippet), "[", "]").find('\x1B'), std::string::npos);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Searched searched;
  const fuzz::Input input(data, size);
  const std::size_t line_end = std::min(input.text.find('\n'), input.text.size());
  const std::string_view text = input.text.substr(0, line_end);
  Query query;
  try {
    query = parse_query(*searched.analyzer, text);
  } catch (const UsageError&) {
    EXPECT_NE(text.find('"'), std::string_view::npos);
    return 0;
  }
  check_clauses(query);
  if (text.find_first_of("+-\"") == std::string_view::npos) check_plain(query, query_terms(*searched.analyzer, text));
  check_ranking(searched, query, 1 + input.options % 20);
  check_snippet(searched, query, repair_utf8(input.text.substr(line_end)));
  return 0;
}
