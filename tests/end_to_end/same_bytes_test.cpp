// Tests that an input gives one index: for any resources, sorters and blocks, every file of the index is the same
// bytes.
#include <gtest/gtest.h>

#include "tests/end_to_end/same_bytes.hpp"
#include "tests/support/corpora_path.hpp"
#include "tests/support/few_descriptors.hpp"

namespace spillway {
namespace {

using testing::FewDescriptors;
using testing::run_job;
using testing::SameBytes;
namespace fs = std::filesystem;

// The parameter: whether positions are stored.
class EverySameBytes : public SameBytes, public ::testing::WithParamInterface<bool> {
 protected:
  EverySameBytes() { content_options_.positions = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(, EverySameBytes, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "WithPositions" : "WithoutPositions"; });

// Positions are in a file of their own, and its column in the table of terms.
TEST_F(SameBytes, WithPositionsInAllOtherFiles) {
  set_random_corpus(15, 300);
  IndexOptions options = job({scratch_ / "in"});
  options.content.positions = true;
  options.block_bytes = 20000;
  run_job(options);
  const auto found = testing::bytes_of(options.output);
  ASSERT_EQ(found.size(), expected_.size());
  for (const auto& [name, bytes] : expected_) {
    const bool may_differ = name == "positions" || name == "terms" || name == "manifest";
    EXPECT_EQ(found.at(name) == bytes, !may_differ) << name;
  }
}

TEST_P(EverySameBytes, ForAnyNumberOfThreadsAndBothModes) {
  set_random_corpus(1, 300);
  for (unsigned threads = 1; threads <= 8; ++threads) {
    for (const IndexMode mode : {IndexMode::kCpu, IndexMode::kCpuPlus}) {
      IndexOptions options = job({scratch_ / "in"});
      options.threads = threads;
      options.mode = mode;
      options.block_bytes = threads % 2 == 0 ? 30000 : 0;
      SCOPED_TRACE(threads);
      expect_same(options);
    }
  }
}

TEST_F(SameBytes, ForAnyBudget) {
  set_random_corpus(2, 300);
  for (const std::uint64_t mebibytes : {48, 64, 100, 250, 1000, 4000}) {
    IndexOptions options = job({scratch_ / "in"});
    options.memory_bytes = std::max<std::uint64_t>(testing::tight_memory(mebibytes), 64 << 20);
    SCOPED_TRACE(mebibytes);
    expect_same(options);
  }
}

TEST_P(EverySameBytes, ForEverySorter) {
  set_random_corpus(3, 200);
  for (const char* record_sorter : {"auto", "cpu-chunk", "cpu-radix", "cpu-quick"}) {
    for (const char* string_sorter : {"auto", "cpu-msd", "cpu-multikey"}) {
      for (const std::uint64_t block_bytes : {0, 20000}) {
        IndexOptions options = job({scratch_ / "in"});
        options.record_sorter = record_sorter;
        options.string_sorter = string_sorter;
        options.block_bytes = block_bytes;
        SCOPED_TRACE(std::string(record_sorter) + " " + string_sorter + " " + std::to_string(block_bytes));
        expect_same(options);
      }
    }
  }
}

// The block sizes give one run to about a thousand.
TEST_P(EverySameBytes, ForAnyNumberOfRuns) {
  set_random_corpus(4, 1700);
  std::set<std::size_t> magnitudes;  // 1, 2-9, 10-99, ...
  for (const std::uint64_t block_bytes : {0, 1000000, 300000, 100000, 30000, 10000, 3000, 1000, 300, 1}) {
    IndexOptions options = job({scratch_ / "in"});
    options.block_bytes = block_bytes;
    options.memory_bytes = std::max<std::uint64_t>(testing::tight_memory(48), 64 << 20);
    SCOPED_TRACE(block_bytes);
    const IndexReport report = expect_same(options);
    magnitudes.insert(report.runs == 1 ? 0 : std::to_string(report.runs).size());
  }
  EXPECT_TRUE(magnitudes.contains(0)) << "one run";
  EXPECT_TRUE(magnitudes.contains(1)) << "a few runs";
  EXPECT_TRUE(magnitudes.contains(3)) << "hundreds of runs";
  EXPECT_TRUE(magnitudes.contains(4)) << "thousands of runs";
}

// More than 1 MiB of postings for each part but the last.
TEST_F(SameBytes, OfListsInAllParts) {
  content_options_.positions = true;
  set_random_corpus(6, 56000, false);
  for (const char* const part : {"postings", "postings_1", "postings_2", "postings_3", "positions_3"}) {
    ASSERT_GT(expected_.at(part).size(), 100000U) << part;
  }
  IndexOptions options = job({scratch_ / "in"});
  options.threads = 5;
  options.mode = IndexMode::kCpuPlus;
  options.block_bytes = 2000000;
  expect_same(options);
}

TEST_P(EverySameBytes, ForSeveralMergePasses) {
  set_random_corpus(5, 900);
  const FewDescriptors few(110);
  for (const unsigned threads : {1U, 4U}) {
    IndexOptions options = job({scratch_ / "in"});
    options.block_bytes = 300;
    options.record_sorter = "cpu-radix";  // which keeps no blocks in memory
    options.threads = threads;
    options.memory_bytes = std::max<std::uint64_t>(testing::tight_memory(48), 64 << 20);
    const IndexReport report = expect_same(options);
    EXPECT_GT(report.runs, 500U);
    EXPECT_GE(report.merge_passes, 2U);
    EXPECT_GT(report.runs_spilled, 100U);
  }
}

TEST_P(EverySameBytes, ForRunsThatAreJoinedWhileParsing) {
  set_random_corpus(7, 900);
  for (const IndexMode mode : {IndexMode::kCpu, IndexMode::kCpuPlus}) {
    for (const char* const sorter : {"cpu-chunk", "cpu-radix"}) {
      IndexOptions options = job({scratch_ / "in"});
      options.block_bytes = 1000;
      options.threads = mode == IndexMode::kCpu ? 2 : 5;
      options.mode = mode;
      options.record_sorter = sorter;
      options.memory_bytes = std::uint64_t{2} << 30;
      SCOPED_TRACE(sorter);
      const IndexReport report = expect_same(options);
      EXPECT_GT(report.compactions, 5U);
      EXPECT_EQ(report.blocks, report.runs - report.compactions + report.compacted_runs);
      EXPECT_LT(report.runs, report.blocks / 2) << report.blocks << " blocks";
    }
  }
}

TEST_F(SameBytes, WithStoredTexts) {
  set_corpus_with_texts(20);
  for (const std::uint64_t block_bytes : {0, 700, 20000}) {
    for (const char* const sorter : {"cpu-chunk", "cpu-radix"}) {
      IndexOptions options = job({scratch_ / "in"});
      options.block_bytes = block_bytes;
      options.record_sorter = sorter;
      options.threads = block_bytes == 700 ? 3 : 1;
      options.mode = block_bytes == 0 ? IndexMode::kCpu : IndexMode::kCpuPlus;
      options.memory_bytes = block_bytes == 700 ? std::uint64_t{2} << 30 : options.memory_bytes;
      const IndexReport report = expect_same(options);
      EXPECT_TRUE(report.compactions != 0 || block_bytes != 700);
    }
  }
  IndexOptions options = job({scratch_ / "in"});
  run_job(options);
  testing::expect_equals_oracle(options.output, testing::without_duplicates(documents_), options.content);
}

TEST_F(SameBytes, OfAllButTheTextsWithAndWithoutThem) {
  set_corpus_with_texts(21);
  IndexOptions options = job({scratch_ / "in"});
  options.content.store = StorePolicy::kMeta;
  run_job(options);
  std::set<std::string> differing;
  for (const auto& [name, bytes] : testing::bytes_of(options.output)) {
    if (expected_.at(name) != bytes) differing.insert(name);
  }
  EXPECT_EQ(differing, (std::set<std::string>{"document_groups", "documents", "manifest", "text", "text_blocks"}));
}

TEST_F(SameBytes, ForSeveralTempDirectories) {
  set_random_corpus(6, 600);
  for (const std::size_t count : {1, 2, 5}) {
    IndexOptions options = job({scratch_ / "in"});
    options.block_bytes = 1000;
    options.record_sorter = "cpu-radix";  // which keeps no blocks in memory
    options.memory_bytes = std::max<std::uint64_t>(testing::tight_memory(48), 64 << 20);
    for (std::size_t i = 0; i < count; ++i) {
      options.temp_directories.push_back(scratch_ / ("temp" + std::to_string(i)));
      fs::create_directory(options.temp_directories.back());
    }
    EXPECT_GT(expect_same(options).spilled_bytes, 0U);
    for (const std::string& directory : options.temp_directories) {
      EXPECT_TRUE(fs::is_empty(directory)) << directory;
      fs::remove(directory);
    }
  }
}

class RealSameBytes : public SameBytes, public ::testing::WithParamInterface<const char*> {};

TEST_P(RealSameBytes, OfARealCollection) {
  const auto corpora = SPILLWAY_CORPORA_OR_SKIP();
  const std::string packed = corpora + "/" + GetParam();
  content_options_.positions = true;
  set_corpus(testing::unpack_zstd(packed), CorpusFormat::kJsonl);
  IndexOptions options = job({packed});
  options.memory_bytes = testing::tight_memory(700);
  expect_same(options);
  options = job({scratch_ / "in"});
  for (const std::uint64_t block_bytes : {0, 1 << 20, 1 << 17}) {
    options.threads = 4;
    options.block_bytes = block_bytes;
    options.memory_bytes = std::max<std::uint64_t>(testing::tight_memory(64), 64 << 20);
    expect_same(options);
    options.record_sorter = options.record_sorter == "auto" ? "cpu-radix" : "auto";
  }
}

INSTANTIATE_TEST_SUITE_P(Small, RealSameBytes,
                         ::testing::Values("retrieval/adi/docs.jsonl.zst", "retrieval/med/docs.jsonl.zst"),
                         [](const auto& tested) { return "Collection" + std::to_string(tested.index); });
INSTANTIATE_TEST_SUITE_P(Slow, RealSameBytes,
                         ::testing::Values("retrieval/cranfield/docs.jsonl.zst", "retrieval/scifact/docs.jsonl.zst",
                                           "retrieval/vaswani/docs.jsonl.zst", "text/pkgdesc_ja.jsonl.zst",
                                           "text/pkgdesc_zh_CN.jsonl.zst"),
                         [](const auto& tested) { return "Collection" + std::to_string(tested.index); });

}  // namespace
}  // namespace spillway
