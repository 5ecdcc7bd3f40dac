#include "search/exhaustive_ranker.hpp"

#include <gtest/gtest.h>

#include "io/file/posix_file_system.hpp"
#include "tests/search/toy_corpus.hpp"

namespace spillway {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(ExhaustiveRanker, EqualsTheDefinitionOnRandomIndexes) {
  std::mt19937_64 random(20261);
  for (int round = 0; round < 20; ++round) {
    const ScratchDirectory scratch;
    const ToyCorpus corpus = random_corpus(random, 1 + random() % 400);
    const IndexReader index(posix_file_system(), write_index(scratch, corpus));
    const Bm25Parameters parameters{0.1 * static_cast<double>(random() % 20), 0.1 * static_cast<double>(random() % 11)};
    const Bm25 bm25(index.counts(), parameters);
    ExhaustiveRanker ranker(index, bm25);
    for (const std::size_t k : {1u, 2u, 10u, 1000u}) {
      const std::vector<QueryTerm> query{
          {word(random() % 14), 1}, {word(20 + random() % 3), 2}, {word(random() % 14), 3}};
      if (query[0].term == query[2].term) continue;
      expect_same(ranker.best(query_of(query), k), rank_naively(corpus, query, parameters, k));
    }
  }
}

TEST(ExhaustiveRanker, RanksAcrossRangesOfDocuments) {
  ToyCorpus corpus(200'000);
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    corpus[i].id = std::to_string(i);
    corpus[i].frequencies["filler"] = 1 + static_cast<std::uint32_t>(random() % 40);
  }
  for (const std::size_t place : {0u, 65'535u, 65'536u, 131'071u, 131'072u, 199'999u}) {
    corpus[place].frequencies["rare"] = 1 + static_cast<std::uint32_t>(random() % 4);
  }
  const ScratchDirectory scratch;
  const IndexReader index(posix_file_system(), write_index(scratch, corpus));
  const Bm25 bm25(index.counts(), {});
  ExhaustiveRanker ranker(index, bm25);
  const std::vector<QueryTerm> query{{"rare", 1}};
  const auto expected = rank_naively(corpus, query, {}, 10);
  ASSERT_EQ(expected.size(), 6u);
  expect_same(ranker.best(query_of(query), 10), expected);
  expect_same(ranker.best(query_of(query), 10), expected);  // nothing of the previous query remains
}

TEST(ExhaustiveRanker, BreaksTiesByIdDescendingInByteOrder) {
  ToyCorpus corpus;
  for (const char* id : {"a", "b", "10", "9", "\xC3\xA9", "B", "b"}) corpus.push_back({id, {{"same", 1}}});
  const ScratchDirectory scratch;
  const IndexReader index(posix_file_system(), write_index(scratch, corpus));
  std::vector<std::uint32_t> order;
  const Bm25 bm25(index.counts(), {});
  for (const RankedDocument& ranked : ExhaustiveRanker(index, bm25).best(query_of({{"same", 1}}), 5)) {
    order.push_back(ranked.document);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{4, 1, 6, 0, 5}));
}

TEST(ExhaustiveRanker, FindsNothingForUnknownTermsAndNoTerms) {
  const ScratchDirectory scratch;
  const IndexReader index(posix_file_system(), write_index(scratch, {{"a", {{"x", 1}}}}));
  const Bm25 bm25(index.counts(), {});
  ExhaustiveRanker ranker(index, bm25);
  EXPECT_TRUE(ranker.best(query_of({{"unknown", 1}}), 10).empty());
  EXPECT_TRUE(ranker.best({}, 10).empty());
  EXPECT_TRUE(ranker.best(query_of({{"x", 1}}), 0).empty());
}

}  // namespace
}  // namespace spillway
