#include "search/spillway.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "io/file/posix_file_system.hpp"
#include "search/exhaustive_ranker.hpp"
#include "tests/search/toy_corpus.hpp"
#include "tests/support/sample_index.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;

class SpillwayLibrary : public ::testing::Test {
 protected:
  SpillwayLibrary() : directory_(testing::write_index(scratch_, corpus_)) {}
  ScratchDirectory scratch_;
  const testing::ToyCorpus corpus_{{"a", {{"sort", 2}, {"run", 1}}}, {"b", {{"sort", 1}}}, {"c", {{"merge", 3}}}};
  std::string directory_;
};

Failure::Kind kind_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Failure& failure) {
    return failure.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Failure::Kind::kOther;
}

TEST_F(SpillwayLibrary, SearchesAsTheRankersDo) {
  const Index index(directory_);
  Searcher searcher(index, {1.2, 0.75});
  const auto hits = searcher.search("Sort +run", 10);
  const IndexReader reader(posix_file_system(), directory_);
  const Bm25 bm25(reader.counts(), {1.2, 0.75});
  const auto expected = ExhaustiveRanker(reader, bm25).best(query_of({{"sort", 1}, {"run", 1}}), 1);
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_EQ(hits[0].document, expected[0].document);
  EXPECT_EQ(hits[0].score, expected[0].score);
  EXPECT_EQ(hits[0].id, "a");
  EXPECT_EQ(searcher.search_plain("Sort +run", 10).size(), 2u);
}

TEST_F(SpillwayLibrary, HandsOutListsAndDocuments) {
  const Index index(directory_);
  EXPECT_EQ(index.document_count(), 3u);
  EXPECT_EQ(index.term_count(), 3u);
  EXPECT_FALSE(index.has_positions());
  EXPECT_EQ(index.analyze("Sort, RUN sort"), (std::vector<std::string>{"sort", "run", "sort"}));
  Postings postings = index.postings("sort");
  EXPECT_EQ(postings.document_count(), 2u);
  EXPECT_EQ(postings.occurrence_count(), 3u);
  ASSERT_TRUE(postings.next());
  EXPECT_EQ(postings.document(), 0u);
  EXPECT_EQ(postings.frequency(), 2u);
  ASSERT_TRUE(postings.next());
  EXPECT_EQ(postings.document(), 1u);
  EXPECT_FALSE(postings.next());
  EXPECT_FALSE(index.postings("nowhere").next());
  EXPECT_EQ(index.find("b"), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(index.document(2).id, "c");
  EXPECT_EQ(index.document(2).length, 3u);
  EXPECT_EQ(index.text(2), "");
}

TEST_F(SpillwayLibrary, HandsOutPositions) {
  testing::SampleIndex sample = testing::make_sample(500, 6, 3);
  sample.options.positions = true;
  testing::write_sample(posix_file_system(), scratch_ / "with", sample);
  const Index index(scratch_ / "with");
  ASSERT_TRUE(index.has_positions());
  for (const auto& [term, list] : sample.lists) {
    Postings postings = index.postings(term);
    for (const testing::Posting& posting : list) {
      ASSERT_TRUE(postings.next());
      std::vector<std::uint32_t> expected = testing::sample_positions(posting);  // distances
      for (std::size_t i = 1; i < expected.size(); ++i) expected[i] += expected[i - 1];
      ASSERT_EQ(postings.document(), posting.first);
      ASSERT_EQ(postings.positions(), expected);
    }
    EXPECT_FALSE(postings.next());
  }
}

TEST_F(SpillwayLibrary, WhatIsMadeFromAnIndexMayOutliveIt) {
  auto index = std::make_unique<Index>(directory_);
  Searcher searcher(*index);
  Postings postings = index->postings("sort");
  index.reset();
  EXPECT_EQ(searcher.search("merge", 10).size(), 1u);
  EXPECT_TRUE(postings.next());
}

TEST_F(SpillwayLibrary, ServesThreadsOverOneIndex) {
  const Index index(directory_);
  std::vector<std::size_t> found(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t& hits : found) {
      threads.emplace_back([&index, &hits] {
        Searcher searcher(index);
        for (int i = 0; i < 200; ++i) hits += searcher.search("sort merge", 10).size();
      });
    }
  }
  EXPECT_EQ(found, std::vector<std::size_t>(4, 600));
}

TEST_F(SpillwayLibrary, TellsFailuresApart) {
  EXPECT_EQ(kind_of([&] { const Index index(scratch_ / "none"); }), Failure::Kind::kIo);
  const Index index(directory_);
  EXPECT_EQ(kind_of([&] { index.document(3); }), Failure::Kind::kUsage);
  EXPECT_EQ(kind_of([&] { index.text(3); }), Failure::Kind::kUsage);
  EXPECT_EQ(kind_of([&] { Searcher(index).search("\"sort run\"", 1); }), Failure::Kind::kUsage);
  EXPECT_EQ(kind_of([&] { Searcher(index, {-1, 0}); }), Failure::Kind::kUsage);
  Postings postings = index.postings("sort");
  ASSERT_TRUE(postings.next());
  EXPECT_EQ(kind_of([&] { postings.positions(); }), Failure::Kind::kUsage);
}

}  // namespace
}  // namespace spillway
