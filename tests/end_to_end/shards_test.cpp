// `spillway search` over several indexes against the index that `spillway merge` makes of them.
#include <gtest/gtest.h>

#include "search/spillway.hpp"
#include "tests/end_to_end/merge_parts.hpp"
#include "tests/support/run_program.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_merge_job;
using testing::run_spillway;
namespace fs = std::filesystem;

constexpr std::size_t kShards = 3;

class Shards : public testing::MergeParts {
 protected:
  void SetUp() override {
    fs::create_directory(scratch_ / "all");
    testing::RandomDocuments shape;
    shape.count = 200;
    shape.words = 40;
    const testing::Documents documents = testing::random_documents(5, shape);
    ContentOptions options;
    options.positions = true;
    options.store = StorePolicy::kText;
    MergeOptions merge;
    for (std::size_t i = 0; i < kShards; ++i) {
      const auto begin = documents.begin() + static_cast<std::ptrdiff_t>(documents.size() * i / kShards);
      const auto end = documents.begin() + static_cast<std::ptrdiff_t>(documents.size() * (i + 1) / kShards);
      merge.inputs.push_back(index("all/" + std::to_string(i), testing::jsonl_of({begin, end}), options));
      fs::remove(scratch_ / ("all/" + std::to_string(i) + ".in"));
      for (auto word = begin->text.find(' '); queries_.size() < 20 * (i + 1); word = begin->text.find(' ', word + 1)) {
        if (word == std::string::npos) break;
        queries_.push_back(begin->text.substr(0, word));
      }
    }
    merge.output = scratch_ / "merged";
    run_merge_job(merge);
  }
  std::string shard(std::size_t number) const { return scratch_ / ("all/" + std::to_string(number)); }
  std::string search(std::vector<std::string> words, const std::string& query) const {
    words.insert(words.begin(), "search");
    words.insert(words.end(), {"--format", "json", "--query-syntax", "plain", "-k", "30", "--", query});
    const ProgramResult result = run_spillway(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }

  std::vector<std::string> queries_;
};

TEST_F(Shards, AreSearchedAsTheMergedIndexIs) {
  ASSERT_GT(queries_.size(), 10u);
  for (const std::string& query : queries_) {
    const std::string expected = search({scratch_ / "merged"}, query);
    EXPECT_EQ(search({shard(0), "--also", shard(1), "--also", shard(2)}, query), expected) << query;
    EXPECT_EQ(search({scratch_ / "all"}, query), expected) << query;
  }
}

TEST_F(Shards, AreOneCollectionInTheLibrary) {
  std::vector<Index> shards;
  for (std::size_t i = 0; i < kShards; ++i) shards.emplace_back(shard(i));
  Searcher searcher(shards);
  const Index merged(scratch_ / "merged");
  Searcher of_merged(merged);
  std::size_t hits = 0;
  for (const std::string& query : queries_) {
    const auto found = searcher.search_plain(query, 30), expected = of_merged.search_plain(query, 30);
    ASSERT_EQ(found.size(), expected.size()) << query;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].id, expected[i].id);
      EXPECT_EQ(found[i].score, expected[i].score);
      EXPECT_EQ(shards.at(found[i].index).document(found[i].document).id, expected[i].id);
      ++hits;
    }
  }
  EXPECT_GT(hits, queries_.size());
  EXPECT_THROW(Searcher(std::vector<Index>()), Failure);
}

TEST_F(Shards, AreRefusedIfOneIsNamedTwice) {
  const ProgramResult result = run_spillway({"search", shard(1), "--also", scratch_ / "all", "word"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find(shard(1) + " is named twice"), std::string::npos) << result.err;
}

TEST_F(Shards, AreRefusedIfADirectoryBesideThemIsNoIndex) {
  fs::create_directory(scratch_ / "all/other");
  const ProgramResult result = run_spillway({"search", scratch_ / "all", "word"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_NE(result.err.find(scratch_ / "all/other"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace spillway
