// Files of an index are truncated while it is searched: each search gives the right ranking or an error.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "search/block_max_ranker.hpp"
#include "search/exhaustive_ranker.hpp"
#include "search/spillway.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/sample_index.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::read_bytes;
using testing::SampleIndex;
using testing::ScratchDirectory;
using testing::write_bytes;

const std::vector<const char*> kQueries{"single few", "dense most", "+dense block -few", "\"dense most\"", "nowhere",
                                        "odd dense",  "most"};

using Ranking = std::vector<std::pair<std::uint32_t, double>>;

class TruncatedSearch : public ::testing::Test {
 protected:
  TruncatedSearch() {
    SampleIndex made = testing::make_sample(20000, 40, 8);
    made.options.tokenizer = Tokenizer::kAscii;
    made.options.positions = true;
    for (std::uint32_t d = 0; d < 20000; d += 2) made.lists["dense"].emplace_back(d, 1 + d % 4);
    for (std::uint32_t d = 0; d < 20000; ++d) made.lists["most"].emplace_back(d, 1 + d % 3);
    for (std::uint32_t d = 1; d < 20000; d += 7) made.lists["odd"].emplace_back(d, 1 + d % 50);
    for (std::uint32_t d = 0; d < 128; ++d) made.lists["block"].emplace_back(d, 1);
    made.lists["single"] = {{17, 3}};
    made.lists["few"] = {{0, 1}, {5, 300}, {130, 2}};
    write_sample(posix_file_system(), directory_, made);
    for (const char* query : kQueries) expected_.push_back(search(Index(directory_), query));
  }

  static Ranking search(const Index& index, const char* query) {
    Ranking ranking;
    for (const Hit& hit : Searcher(index).search(query, 10)) ranking.emplace_back(hit.document, hit.score);
    return ranking;
  }
  std::string path_of(std::size_t section) const { return directory_ + "/" + std::string(kSectionNames[section]); }

  ScratchDirectory scratch_;
  std::string directory_ = scratch_ / "index";
  std::vector<Ranking> expected_;
};

TEST_F(TruncatedSearch, IsRightOrRefused) {
  std::size_t refused = 0;
  for (std::size_t section = 0; section < kSectionCount; ++section) {
    const std::string bytes = read_bytes(path_of(section));
    for (const std::size_t size : {std::size_t{0}, std::size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
      for (const bool was_read_before : {false, true}) {
        SCOPED_TRACE(path_of(section) + " cut to " + std::to_string(size));
        const Index index(directory_);
        for (const char* query : kQueries) {
          if (was_read_before) search(index, query);
        }
        std::filesystem::resize_file(path_of(section), std::min(size, bytes.size()));
        for (std::size_t i = 0; i < kQueries.size(); ++i) {
          try {
            EXPECT_EQ(search(index, kQueries[i]), expected_[i]) << kQueries[i];
            EXPECT_NE(size, 0u) << kQueries[i];
          } catch (const Failure& failure) {
            EXPECT_EQ(failure.kind(), Failure::Kind::kCorrupt);
            EXPECT_NE(std::string(failure.what()).find(path_of(section) + " at byte "), std::string::npos)
                << failure.what();
            ++refused;
          }
        }
        write_bytes(path_of(section), bytes);
      }
    }
  }
  EXPECT_GT(refused, kSectionCount * kQueries.size() * 2);
}

TEST_F(TruncatedSearch, BothRankersRefuse) {
  const IndexReader index(posix_file_system(), directory_);
  const Bm25 bm25(index.counts(), {});
  BlockMaxRanker skipping(index, bm25);
  ExhaustiveRanker scanning(index, bm25);
  const Query query = query_of({{"dense", 1}, {"most", 1}});
  EXPECT_EQ(skipping.best(query, 5).size(), 5u);
  EXPECT_EQ(scanning.best(query, 5).size(), 5u);
  std::filesystem::resize_file(directory_ + "/lengths", 65536);
  EXPECT_THROW(skipping.best(query, 5), FormatError);
  EXPECT_THROW(scanning.best(query, 5), FormatError);
}

// Threads search without a pause while the file is cut, so that it is lost at any point of a search.
TEST_F(TruncatedSearch, IsRightOrRefusedInEveryThread) {
  for (const std::size_t section : {0, 1, 2, 3, 4}) {
    for (int round = 0; round < 8; ++round) {
      const std::string bytes = read_bytes(path_of(section));
      const Index index(directory_);
      std::atomic<int> wrong{0}, started{0};
      {
        std::vector<std::jthread> threads;
        for (std::size_t t = 0; t < 3; ++t) {
          threads.emplace_back([&, t] {
            try {
              for (std::size_t i = t;; ++i) {
                if (search(index, kQueries[i % kQueries.size()]) != expected_[i % kQueries.size()]) ++wrong;
                ++started;
              }
            } catch (const Failure&) {
            }
          });
        }
        while (started < 3 + round) std::this_thread::yield();
        std::filesystem::resize_file(path_of(section), bytes.size() * static_cast<std::size_t>(round) / 8);
      }
      EXPECT_EQ(wrong, 0) << path_of(section);
      write_bytes(path_of(section), bytes);
    }
  }
}

}  // namespace
}  // namespace spillway
