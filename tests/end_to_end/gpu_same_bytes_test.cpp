// Tests that the bytes of an index are the same whether blocks are sorted on the CPU or on a GPU: for each mode, form
// of chunks and sorter, with little device memory, several lanes, and any failing call. Without a GPU, a GPU mode gives
// the same bytes and says that the CPU did the work.
#include "sort/gpu/device/faults.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/interface/record_sorter.hpp"
#include "sort/gpu/interface/string_sorter.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/sorters.hpp"
#include "tests/end_to_end/same_bytes.hpp"
#include "tests/support/corpora_path.hpp"

namespace spillway {
namespace {

using testing::SameBytes;

struct GpuCase {
  bool positions;
  GpuChunks chunks;
};

class GpuSameBytes : public SameBytes, public ::testing::WithParamInterface<GpuCase> {
 protected:
  void SetUp() override {
    const GpuStatus status = find_gpus();
    if (status.state != GpuState::kUsable) GTEST_SKIP() << status.detail;
    content_options_.positions = GetParam().positions;
  }
  void TearDown() override { fail_gpu_call(0); }

  static bool takes_tokens() { return GetParam().chunks == GpuChunks::kTokens; }

  IndexOptions gpu_job(IndexMode mode) const {
    IndexOptions options = job({scratch_ / "in"});
    options.mode = mode;
    options.gpu.required = true;
    options.gpu.chunks = GetParam().chunks;
    options.memory_bytes = std::uint64_t{1} << 30;
    return options;
  }

  // Leaves memory for pinned slots: GPU memory limits the blocks.
  static void give_much_memory(IndexOptions& options) {
    options.memory_bytes = std::uint64_t{8} << 30;
    options.gpu.memory_bytes = std::uint64_t{256} << 20;
  }

  // Expects that the GPU sorted all blocks.
  void expect_same_on_gpu(const IndexOptions& options) {
    const IndexReport report = last_ = expect_same(options);
    EXPECT_EQ(report.chunk_form, takes_tokens() ? "tokens" : "tables");
    EXPECT_EQ(report.cpu_blocks, 0u);
    EXPECT_EQ(report.gpu_blocks, report.blocks);
    EXPECT_GT(report.blocks, 0u);
  }

  IndexReport last_;  // of expect_same_on_gpu()

  // Expects the same bytes from a job whose nth GPU call fails. Returns whether a call failed.
  bool expect_same_where_a_call_fails(std::uint64_t nth, GpuFault fault, bool much_memory) {
    IndexOptions options = gpu_job(IndexMode::kGpuPlus);
    if (much_memory) give_much_memory(options);
    options.gpu.required = false;
    options.block_bytes = 60000;
    fail_gpu_call(nth, fault);
    const IndexReport report = expect_same(options);
    const bool failed = gpu_faults_fired() != 0;
    fail_gpu_call(0);
    if (much_memory) {
      EXPECT_EQ(report.pinned_chunks > 0, report.chunk_form == "tokens") << nth;
    }
    const bool is_reported = !report.gpu_failure.empty();
    EXPECT_TRUE(failed || !is_reported) << nth;
    EXPECT_EQ(report.gpu_blocks == report.blocks, !is_reported) << nth;
    if (failed && !is_reported) {
      EXPECT_EQ(fault, GpuFault::kMemory) << nth;
      ++unreported_;
    }
    return failed;
  }

  int unreported_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Gpu, GpuSameBytes,
                         ::testing::Values(GpuCase{false, GpuChunks::kTables}, GpuCase{true, GpuChunks::kTables},
                                           GpuCase{false, GpuChunks::kTokens}, GpuCase{true, GpuChunks::kTokens}),
                         [](const auto& tested) {
                           return std::string(tested.param.chunks == GpuChunks::kTokens ? "Tokens" : "Tables") +
                                  (tested.param.positions ? "WithPositions" : "WithoutPositions");
                         });

TEST_P(GpuSameBytes, InBothModesWithEachSorter) {
  set_random_corpus(31, 400);
  for (const IndexMode mode : {IndexMode::kGpu, IndexMode::kGpuPlus}) {
    for (const std::string_view strings : gpu_string_sorter_names()) {
      IndexOptions options = gpu_job(mode);
      options.string_sorter = strings;
      options.block_bytes = 40000;
      SCOPED_TRACE(options.string_sorter);
      if (takes_tokens()) {
        expect_same_on_gpu(options);
        continue;
      }
      for (const RecordSorter* records : gpu_record_sorters()) {
        options.record_sorter = records->name();
        SCOPED_TRACE(options.record_sorter);
        expect_same_on_gpu(options);
      }
    }
  }
}

TEST_P(GpuSameBytes, WithAnyDeviceMemoryThreadsAndBlocks) {
  set_random_corpus(32, 2000);
  for (const std::uint64_t mebibytes : {64, 100, 1000, 0}) {
    for (const unsigned threads : {1U, 3U, 8U}) {
      for (const std::uint64_t block_bytes : {0, 3000, 200000}) {
        IndexOptions options = gpu_job(IndexMode::kGpuPlus);
        options.gpu.memory_bytes = mebibytes << 20;
        options.threads = threads;
        options.block_bytes = block_bytes;
        SCOPED_TRACE(::testing::Message() << mebibytes << " MiB, " << threads << " threads, blocks " << block_bytes);
        expect_same_on_gpu(options);
      }
    }
  }
}

TEST_P(GpuSameBytes, OfChunksInPinnedSlots) {
  set_random_corpus(41, 2000);
  for (const unsigned threads : {1U, 3U, 8U}) {
    for (const std::uint64_t block_bytes : {0, 3000, 200000}) {
      IndexOptions options = gpu_job(IndexMode::kGpuPlus);
      give_much_memory(options);
      options.threads = threads;
      options.block_bytes = block_bytes;
      SCOPED_TRACE(::testing::Message() << threads << " threads, blocks " << block_bytes);
      expect_same_on_gpu(options);
      EXPECT_EQ(last_.pinned_chunks > 0, takes_tokens()) << last_.plan;
    }
  }
}

TEST_P(GpuSameBytes, OnEveryGpuTogether) {
  set_random_corpus(33, 1000);
  IndexOptions options = gpu_job(IndexMode::kGpuPlus);
  for (const GpuInfo& gpu : find_gpus().gpus) options.gpu.ids.push_back(gpu.id);
  options.block_bytes = 20000;
  expect_same_on_gpu(options);
}

// Lists stay on the GPU that made them; to merge them, each GPU takes those of the others.
TEST_P(GpuSameBytes, WhereEveryGpuMergesLists) {
  set_random_corpus(42, 2000);
  for (const unsigned threads : {1U, 4U, 20U}) {
    for (const std::uint64_t block_bytes : {3000, 20000}) {
      IndexOptions options = gpu_job(IndexMode::kGpuPlus);
      for (const GpuInfo& gpu : find_gpus().gpus) options.gpu.ids.push_back(gpu.id);
      options.memory_bytes = std::uint64_t{16} << 30;
      options.threads = threads;
      options.block_bytes = block_bytes;
      options.gpu.merge = GpuMerge::kAlways;
      SCOPED_TRACE(::testing::Message() << threads << " threads, blocks " << block_bytes);
      expect_same_on_gpu(options);
      EXPECT_GE(last_.gpu_postings, last_.postings);
    }
  }
}

TEST_P(GpuSameBytes, OfRunsThatAreJoinedInsideOfDocuments) {
  set_long_documents(40);
  IndexOptions options = gpu_job(IndexMode::kGpuPlus);
  for (const GpuInfo& gpu : find_gpus().gpus) options.gpu.ids.push_back(gpu.id);
  options.memory_bytes = std::uint64_t{2} << 30;
  options.block_bytes = 2000;
  expect_same_on_gpu(options);
  EXPECT_GT(last_.compactions, 3U);
}

TEST_P(GpuSameBytes, OfStoredTexts) {
  set_corpus_with_texts(34);
  IndexOptions options = gpu_job(IndexMode::kGpuPlus);
  options.block_bytes = 50000;
  expect_same_on_gpu(options);
}

TEST_P(GpuSameBytes, WithStopWordsAndStems) {
  content_options_.stop_words = "the\nword\n";
  content_options_.stemmer = "english";
  set_random_corpus(36, 500);
  IndexOptions options = gpu_job(IndexMode::kGpuPlus);
  options.block_bytes = 50000;
  expect_same_on_gpu(options);
}

TEST_P(GpuSameBytes, OfTheAsciiTokenizerWithShortTerms) {
  content_options_.tokenizer = Tokenizer::kAscii;
  content_options_.max_term_bytes = 12;
  set_random_corpus(37, 500);
  IndexOptions options = gpu_job(IndexMode::kGpuPlus);
  options.block_bytes = 50000;
  expect_same_on_gpu(options);
}

// At any call, one block gets no memory or the GPU is lost for good: the CPU steps in.
TEST_P(GpuSameBytes, WhateverCallFails) {
  set_random_corpus(38, 300);
  for (const bool much_memory : {false, true}) {
    for (const GpuFault fault : {GpuFault::kMemory, GpuFault::kLost}) {
      int failures = 0;
      for (std::uint64_t nth = 1; expect_same_where_a_call_fails(nth, fault, much_memory); nth += 1 + nth / 3) {
        ++failures;
      }
      EXPECT_GT(failures, 8);
    }
  }
  // One allocation is for lists that stay on the GPU. Without it the job goes on as if they had no room.
  EXPECT_LE(unreported_, 1);
}

// If the GPU is lost before the first block, the job is as without a GPU: chunks are in the form that the CPU sorts
// best.
TEST_P(GpuSameBytes, WhereTheGpuCannotBeStarted) {
  set_random_corpus(39, 300);
  IndexOptions options = gpu_job(IndexMode::kGpuPlus);
  options.gpu.required = false;
  for (const std::uint64_t nth : {1, 2, 3}) {
    fail_gpu_call(nth, GpuFault::kLost);
    const IndexReport report = expect_same(options);
    EXPECT_GT(gpu_faults_fired(), 0U);
    fail_gpu_call(0);
    EXPECT_EQ(report.chunk_form, "postings");
    EXPECT_EQ(report.gpu_blocks, 0U);
    EXPECT_EQ(report.cpu_blocks, report.blocks);
    EXPECT_FALSE(report.gpu_failure.empty());
  }
}

// A machine without a GPU, or with a hidden one, sorts on the CPU.
TEST_F(SameBytes, InGpuModesWithoutAGpu) {
  if (find_gpus().state == GpuState::kUsable) GTEST_SKIP() << "there is a GPU";
  set_random_corpus(35, 300);
  for (const IndexMode mode : {IndexMode::kGpu, IndexMode::kGpuPlus}) {
    for (const std::uint64_t block_bytes : {0, 20000}) {
      IndexOptions options = job({scratch_ / "in"});
      options.mode = mode;
      options.gpu.chunks = GpuChunks::kTokens;
      options.block_bytes = block_bytes;
      const IndexReport report = expect_same(options);
      EXPECT_EQ(report.chunk_form, "postings");
      EXPECT_EQ(report.gpu_blocks, 0u);
      EXPECT_EQ(report.cpu_blocks, report.blocks);
      EXPECT_EQ(report.gpu_failure, find_gpus().detail);
    }
  }
}

}  // namespace
}  // namespace spillway
