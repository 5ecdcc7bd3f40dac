#include "search/block_max_ranker.hpp"

#include <gtest/gtest.h>

#include "io/file/posix_file_system.hpp"
#include "search/exhaustive_ranker.hpp"
#include "tests/search/toy_corpus.hpp"

namespace spillway {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// Words of falling frequency, long and short documents, and a word that is frequent in a few of them, so that bounds
// differ between blocks. Scores and ids repeat.
ToyCorpus uneven_corpus(std::mt19937_64& random, std::size_t count) {
  ToyCorpus corpus(count);
  for (std::size_t i = 0; i < count; ++i) {
    corpus[i].id = std::to_string(i * 7919 % (count / 2 + 1));
    const std::uint64_t words = random() % 8 == 0 ? 40 + random() % 80 : random() % 7;
    for (std::uint64_t left = words; left > 0; --left) {
      const std::uint64_t rank = random() % (1 + random() % (1 + random() % 60));
      corpus[i].frequencies[word(rank)] += random() % 20 == 0 ? 5 : 1;
    }
  }
  return corpus;
}

std::vector<QueryTerm> random_query(std::mt19937_64& random) {
  std::vector<QueryTerm> query;
  for (std::uint64_t left = 1 + random() % 5; left > 0; --left) {
    const std::string term = word(random() % (1 + random() % 64));
    const bool is_new = std::none_of(query.begin(), query.end(), [&](const auto& other) { return other.term == term; });
    if (is_new) query.push_back({term, 1 + static_cast<std::uint32_t>(random() % 3)});
  }
  return query;
}

TEST(BlockMaxRanker, EqualsTheExhaustiveScanBitForBit) {
  std::mt19937_64 random(31);
  SearchWork work;
  std::uint64_t postings = 0;
  for (int round = 0; round < 12; ++round) {
    const ScratchDirectory scratch;
    const ToyCorpus corpus = uneven_corpus(random, 1 + random() % 6000);
    const IndexReader index(posix_file_system(), write_index(scratch, corpus));
    const Bm25Parameters parameters{0.1 * static_cast<double>(random() % 30), 0.1 * static_cast<double>(random() % 11)};
    const Bm25 bm25(index.counts(), parameters);
    ExhaustiveRanker exhaustive(index, bm25);
    BlockMaxRanker pruned(index, bm25, round % 3 == 0 ? 0 : 6 + static_cast<unsigned>(random() % 7));
    for (int i = 0; i < 60; ++i) {
      const auto query = random_query(random);
      for (const std::size_t k : {1u, 3u, 10u, 1000u, 100000u}) {
        expect_same(pruned.best(query_of(query), k), exhaustive.best(query_of(query), k));
        ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << round << ", query " << i << ", k " << k;
      }
      for (const QueryTerm& term : query) {
        if (const auto entry = index.find_term(term.term)) postings += 5 * entry->document_count;
      }
    }
    work += pruned.work();
  }
  EXPECT_LT(work.scored_postings, postings * 2 / 3) << "nothing was skipped, so nothing was tested";
}

TEST(BlockMaxRanker, EqualsTheDefinition) {
  std::mt19937_64 random(32);
  for (int round = 0; round < 10; ++round) {
    const ScratchDirectory scratch;
    const ToyCorpus corpus = random_corpus(random, 1 + random() % 400);
    const IndexReader index(posix_file_system(), write_index(scratch, corpus));
    const Bm25 bm25(index.counts(), {});
    BlockMaxRanker ranker(index, bm25);
    const std::vector<QueryTerm> query{{word(random() % 5), 1}, {word(5 + random() % 9), 2}};
    expect_same(ranker.best(query_of(query), 7), rank_naively(corpus, query, {}, 7));
  }
}

TEST(BlockMaxRanker, ScansForQueriesOfVeryManyClauses) {
  std::mt19937_64 random(33);
  const ScratchDirectory scratch;
  const IndexReader index(posix_file_system(), write_index(scratch, uneven_corpus(random, 3000)));
  const Bm25 bm25(index.counts(), {});
  std::vector<QueryTerm> query;
  for (std::size_t i = 0; i < 600; ++i) query.push_back({word(i), 1});
  ExhaustiveRanker exhaustive(index, bm25);
  BlockMaxRanker pruned(index, bm25);
  expect_same(pruned.best(query_of(query), 10), exhaustive.best(query_of(query), 10));
  EXPECT_EQ(pruned.work().scored_postings, exhaustive.work().scored_postings);
}

// All scores are equal: no document may be skipped, because each may win by its id.
TEST(BlockMaxRanker, LooksAtAllTiesOfTheThreshold) {
  ToyCorpus corpus(3000);
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    corpus[i].id = "d" + std::to_string(i * 1237 % 3000);
    corpus[i].frequencies = {{"same", 1}, {"other", 1}};
  }
  const ScratchDirectory scratch;
  const IndexReader index(posix_file_system(), write_index(scratch, corpus));
  const Bm25 bm25(index.counts(), {});
  BlockMaxRanker ranker(index, bm25, 6);
  for (const std::size_t k : {1u, 10u}) {
    const std::vector<QueryTerm> query{{"same", 1}, {"other", 1}};
    const auto found = ranker.best(query_of(query), k);
    expect_same(found, ExhaustiveRanker(index, bm25).best(query_of(query), k));
    EXPECT_EQ(corpus[found.front().document].id, "d999");
  }
}

TEST(BlockMaxRanker, DoesNotTouchRangesThatCannotReachTheThreshold) {
  ToyCorpus corpus(20'000);
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    corpus[i].id = std::to_string(i);
    corpus[i].frequencies = {{"common", 1}, {"filler", 30}};
  }
  for (const std::size_t best : {7u, 9'000u, 19'999u}) corpus[best].frequencies = {{"common", 1}};
  const ScratchDirectory scratch;
  const IndexReader index(posix_file_system(), write_index(scratch, corpus));
  const Bm25 bm25(index.counts(), {});
  BlockMaxRanker ranker(index, bm25);
  const std::vector<QueryTerm> query{{"common", 1}};
  expect_same(ranker.best(query_of(query), 3), ExhaustiveRanker(index, bm25).best(query_of(query), 3));
  EXPECT_LT(ranker.work().scored_postings, 1000u);
  EXPECT_LT(ranker.work().decoded_blocks, 20u);
}

TEST(BlockMaxRanker, FindsNothingForUnknownTermsAndNoTerms) {
  const ScratchDirectory scratch;
  const IndexReader index(posix_file_system(), write_index(scratch, {{"a", {{"x", 1}}}}));
  const Bm25 bm25(index.counts(), {});
  BlockMaxRanker ranker(index, bm25);
  EXPECT_TRUE(ranker.best(query_of({{"unknown", 1}}), 10).empty());
  EXPECT_TRUE(ranker.best({}, 10).empty());
  EXPECT_TRUE(ranker.best(query_of({{"x", 1}}), 0).empty());
  EXPECT_EQ(ranker.best(query_of({{"unknown", 1}, {"x", 1}}), 10).size(), 1u);
}

}  // namespace
}  // namespace spillway
