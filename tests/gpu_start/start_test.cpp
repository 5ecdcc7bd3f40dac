// Tests jobs that parse while their GPU is being started: whatever comes of the start, the index is that of the CPU,
// and the report says who sorted.
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "indexer/ingest/skip_log.hpp"
#include "indexer/plan/job.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/faults.hpp"
#include "tests/end_to_end/same_bytes.hpp"
#include "tests/gpu_start/fake_gpu.hpp"

namespace spillway {
namespace {

using std::chrono::milliseconds;
using testing::fake_gpu;
using testing::StartFault;

class StartedBesideParsing : public testing::SameBytes {
 protected:
  void TearDown() override {
    fail_gpu_call(0);
    set({});
  }

  static void set(StartFault fault, milliseconds delay = milliseconds{0}) {
    fake_gpu().fault = fault;
    fake_gpu().start_time = delay;
    fake_gpu().count = 1;
    fake_gpu().nodes = fake_gpu().faulty = 0;
    fake_gpu().free_bytes = std::size_t{64} << 30;
    fake_gpu().asked = 0;
    fake_gpu().merges = 0;
  }

  IndexOptions gpu_job(IndexMode mode = IndexMode::kGpuPlus) const {
    IndexOptions options = job({scratch_ / "in"});
    options.mode = mode;
    options.memory_bytes = std::uint64_t{8} << 30;
    options.threads = 3;
    options.block_bytes = 20000;
    return options;
  }

  // Expects that lanes sorted all blocks.
  IndexReport expect_same_on_gpu(const IndexOptions& options) {
    const IndexReport report = expect_same(options);
    EXPECT_EQ(report.mode, IndexMode::kGpuPlus);
    EXPECT_EQ(report.chunk_form, "tokens");
    EXPECT_EQ(report.gpu_blocks, report.blocks);
    EXPECT_EQ(report.cpu_blocks, 0U);
    EXPECT_GT(report.blocks, 0U);
    EXPECT_EQ(report.gpu_failure, "");
    return report;
  }
  // Expects the job of the CPU, and `why` in its report.
  void expect_same_without_gpu(const IndexOptions& options, const std::string& why) {
    const IndexReport report = expect_same(options);
    EXPECT_EQ(report.chunk_form, "postings");
    EXPECT_EQ(report.gpu_blocks, 0U);
    EXPECT_EQ(report.cpu_blocks, report.blocks);
    EXPECT_EQ(report.gpu_failure, why);
    EXPECT_NE(report.plan.find(why), std::string::npos) << report.plan;
  }
};

TEST_F(StartedBesideParsing, BlocksWaitForTheGpu) {
  for (const bool positions : {false, true}) {
    content_options_.positions = positions;
    set_random_corpus(61, 400);
    for (const int delay : {0, 30, 300}) {
      for (const unsigned threads : {1U, 4U}) {
        for (const std::uint64_t block_bytes : {0, 3000, 200000}) {
          set(StartFault::kNone, milliseconds(delay));
          IndexOptions options = gpu_job();
          options.threads = threads;
          options.block_bytes = block_bytes;
          const IndexReport report = expect_same_on_gpu(options);
          EXPECT_EQ(fake_gpu().asked, 1);
          EXPECT_GT(report.pinned_chunks, 0U);
          EXPECT_NE(report.plan.find("the test's GPU"), std::string::npos) << report.plan;
        }
      }
    }
  }
}

TEST_F(StartedBesideParsing, BlocksWaitForAllGpusThatAreNamed) {
  set_random_corpus(75, 400);
  for (const auto& ids : std::vector<std::vector<int>>{{1}, {0, 1}, {2, 0, 1}}) {
    set(StartFault::kNone, milliseconds(100));
    fake_gpu().count = 3;
    IndexOptions options = gpu_job();
    options.gpu.ids = ids;
    const IndexReport report = expect_same_on_gpu(options);
    EXPECT_EQ(fake_gpu().asked, 1);
    for (const int id : ids) {
      EXPECT_NE(report.plan.find("GPU " + std::to_string(id) + " (the test's GPU"), std::string::npos) << report.plan;
    }
  }
}

// With a device node for a GPU that CUDA does not find, the job begins and asks then.
TEST_F(StartedBesideParsing, AGpuThatIsNotThereIsNamed) {
  set_random_corpus(76, 100);
  for (const int nodes : {1, 4}) {
    set(StartFault::kNone, milliseconds(50));
    fake_gpu().nodes = nodes;
    IndexOptions options = gpu_job();
    options.gpu.ids = {0, 3};
    options.gpu.required = true;
    try {
      testing::run_job(options);
      ADD_FAILURE() << "GPU 3 was found";
    } catch (const UsageError& error) {
      EXPECT_STREQ(error.what(), "--gpu 3: this machine has 1 GPUs, numbered from 0 (spillway doctor lists them)");
    }
    EXPECT_EQ(fake_gpu().asked, nodes == 1 ? 1 : 2);
    EXPECT_FALSE(std::filesystem::exists(options.output));
  }
}

TEST_F(StartedBesideParsing, TheCpuSortsWhereOneOfTheGpusFails) {
  set_random_corpus(77, 200);
  set(StartFault::kContext, milliseconds(50));
  fake_gpu().count = 2;
  fake_gpu().faulty = 1;
  IndexOptions options = gpu_job();
  options.gpu.ids = {0, 1};
  expect_same_without_gpu(options, "the test's GPU makes no context");
}

// With a block at a time, parsers are done before the GPU is there only if blocks wait in memory.
TEST_F(StartedBesideParsing, MoreBlocksWaitThanAreInFlight) {
  set_random_corpus(62, 300);
  set(StartFault::kNone, milliseconds(2000));
  IndexOptions options = gpu_job();
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  const IndexContext context{posix_file_system(), signal_number, progress, ignore, ignore};
  IndexReport report;
  std::atomic<bool> done{false};
  std::thread waiting([&] {
    run_index(options, context, report);
    done = true;
  });
  for (int i = 0; i < 1800 && progress.bytes_done != content_.size(); ++i) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(progress.bytes_done, content_.size());
  EXPECT_EQ(progress.runs, 0U);
  EXPECT_FALSE(done);
  waiting.join();
  EXPECT_GT(report.gpu_blocks, 8U);
  EXPECT_TRUE(testing::same_index(expected_, options.output));
}

TEST_F(StartedBesideParsing, TheCpuSortsWhatNoGpuDoes) {
  set_random_corpus(63, 300);
  const struct {
    StartFault fault;
    const char* why;
  } faults[] = {{StartFault::kNoDevice, "the test has hidden its GPU"},
                {StartFault::kContext, "the test's GPU makes no context"},
                {StartFault::kArena, "the test's GPU is full"}};
  for (const auto& [fault, why] : faults) {
    for (const int delay : {0, 50, 250}) {
      for (const std::uint64_t block_bytes : {0, 3000}) {
        SCOPED_TRACE(::testing::Message() << why << ", after " << delay << " ms, blocks of " << block_bytes);
        set(fault, milliseconds(delay));
        IndexOptions options = gpu_job();
        options.block_bytes = block_bytes;
        expect_same_without_gpu(options, why);
      }
    }
  }
}

TEST_F(StartedBesideParsing, AnEmptyInputReportsTheFailureToo) {
  set_corpus("", CorpusFormat::kJsonl);
  set(StartFault::kArena, milliseconds(20));
  EXPECT_EQ(expect_same(gpu_job()).gpu_failure, "the test's GPU is full");
  set(StartFault::kNone, milliseconds(20));
  EXPECT_EQ(expect_same(gpu_job()).gpu_failure, "");
}

// The job is planned anew with the device memory that there is.
TEST_F(StartedBesideParsing, ASmallerGpuSortsSmallerBlocks) {
  set_random_corpus(64, 400);
  set(StartFault::kNone, milliseconds(50));
  fake_gpu().free_bytes = std::size_t{96} << 20;
  IndexOptions options = gpu_job();
  options.gpu.chunks = GpuChunks::kTokens;
  options.block_bytes = 0;  // of 32 MiB, if the device has room for them
  expect_same_on_gpu(options);
  EXPECT_EQ(fake_gpu().asked, 2);
}

TEST_F(StartedBesideParsing, ARequiredGpuThatFailsEndsTheJob) {
  set_random_corpus(65, 200);
  for (const StartFault fault : {StartFault::kNoDevice, StartFault::kContext, StartFault::kArena}) {
    set(fault, milliseconds(30));
    IndexOptions options = gpu_job();
    options.gpu.required = true;
    EXPECT_THROW(testing::run_job(options), GpuError);
    EXPECT_FALSE(std::filesystem::exists(options.output));
  }
}

// Lanes are made, and then a call fails: the first ones before any block was sorted.
TEST_F(StartedBesideParsing, TheCpuSortsWhateverCallFails) {
  set_random_corpus(66, 150);
  for (const GpuFault fault : {GpuFault::kMemory, GpuFault::kLost}) {
    int failures = 0;
    for (std::uint64_t nth = 1;; nth += 1 + nth / 3) {
      set(StartFault::kNone, milliseconds(5));
      fail_gpu_call(nth, fault);
      const IndexReport report = expect_same(gpu_job());
      const bool failed = gpu_faults_fired() != 0;
      fail_gpu_call(0);
      EXPECT_EQ(report.gpu_failure.empty(), !failed) << nth;
      EXPECT_EQ(report.cpu_blocks != 0, failed) << nth;
      if (!failed) break;
      ++failures;
    }
    EXPECT_GT(failures, 8);
  }
}

// Records that were counted before the failure count once.
TEST_F(StartedBesideParsing, SkippedRecordsAreCountedOnce) {
  set_random_corpus(67, 100, false);
  std::string broken;
  for (int i = 0; i < 5; ++i) broken += content_ + "{\"text\": not JSON\n";
  content_options_.duplicate_ids = DuplicateIds::kKeep;
  testing::write_bytes(scratch_ / "in", broken);
  IndexOptions options = gpu_job();
  options.max_error_rate = 1;
  set(StartFault::kArena, milliseconds(200));
  IndexReport report = testing::run_job(options);
  EXPECT_EQ(report.gpu_failure, "the test's GPU is full");
  EXPECT_EQ(report.records_in, 505U);
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_EQ(report.skipped[0].second, 5U);
  EXPECT_EQ(report.examples.size(), SkipLog::kExamples);
}

// Revisits that were met before the failure are met again.
TEST_F(StartedBesideParsing, RevisitsAreFollowedOnce) {
  const auto record = [](const std::string& type, int number, const std::string& fields, const std::string& block) {
    const std::string id = std::to_string(number);
    return "WARC/1.1\r\nWARC-Type: " + type + "\r\nWARC-Record-ID: <" + type + id + ">\r\nWARC-Target-URI: http://a/" +
           id + "\r\nWARC-Date: 2024-01-02T03:04:05Z\r\nContent-Type: application/http; msgtype=response\r\n" + fields +
           "Content-Length: " + std::to_string(block.size()) + "\r\n\r\n" + block + "\r\n\r\n";
  };
  std::string crawl;
  for (int i = 0; i < 200; ++i) {
    crawl += record("response", i, "", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nword" + std::to_string(i));
    crawl += record("revisit", i, "WARC-Refers-To: <response" + std::to_string(i) + ">\r\n", "HTTP/1.1 304 -\r\n\r\n");
  }
  testing::write_bytes(scratch_ / "in", crawl);
  format_ = CorpusFormat::kWarc;
  for (const StartFault fault : {StartFault::kNone, StartFault::kNoDevice, StartFault::kArena}) {
    set(fault, milliseconds(200));
    IndexOptions options = gpu_job();
    options.corpus.crawl.revisits = Revisits::kFollow;
    EXPECT_EQ(testing::run_job(options).documents, 400U);
    std::filesystem::remove_all(options.output);
  }
}

TEST_F(StartedBesideParsing, ASignalEndsTheJobDuringTheStart) {
  set_random_corpus(68, 300);
  set(StartFault::kNone, milliseconds(300));
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  const IndexContext context{posix_file_system(), signal_number, progress, ignore, ignore};
  const IndexOptions options = gpu_job();
  IndexReport report;
  std::jthread signal([&] {
    std::this_thread::sleep_for(milliseconds(50));
    signal_number = SIGINT;
  });
  EXPECT_THROW(run_index(options, context, report), InterruptedError);
  EXPECT_FALSE(std::filesystem::exists(options.output));
}

// Jobs that could not read their input again, or that leave the plan less, ask before they parse.
TEST_F(StartedBesideParsing, OnlyAPlanThatMayAssumeAGpuDoes) {
  set_random_corpus(69, 50);
  const auto assumes = [](const IndexOptions& options) {
    return plan_job(options, options.content, posix_file_system(), {}, GpuFacts::kAssume).assumes_gpu;
  };
  const IndexOptions usual = gpu_job();
  EXPECT_TRUE(assumes(usual));
  EXPECT_FALSE(plan_job(usual, usual.content, posix_file_system()).assumes_gpu);
  IndexOptions options = usual;
  options.mode = IndexMode::kGpu;
  EXPECT_FALSE(assumes(options));
  options = usual;
  options.memory_bytes = std::uint64_t{512} << 20;
  EXPECT_FALSE(assumes(options));
  options = usual;
  options.gpu.memory_bytes = std::uint64_t{1} << 30;
  EXPECT_FALSE(assumes(options));
  options = usual;
  options.gpu.chunks = GpuChunks::kTables;
  EXPECT_FALSE(assumes(options));
  options = usual;
  options.gpu.ids = {1, 0};
  EXPECT_THROW(assumes(options), UsageError);  // there is no second one
  fake_gpu().count = 2;
  EXPECT_TRUE(assumes(options));
  options.memory_bytes = (std::uint64_t{2} << 30) - 1;
  EXPECT_FALSE(assumes(options));
  options = usual;
  options.inputs = {"-"};
  EXPECT_FALSE(assumes(options));
}

TEST_F(StartedBesideParsing, ResumableJobsAskFirst) {
  set_random_corpus(70, 200);
  set(StartFault::kArena);
  IndexOptions options = gpu_job();
  options.resume.resumable = true;
  expect_same_without_gpu(options, "the test's GPU is full");
  EXPECT_EQ(fake_gpu().asked, 1);
}

TEST_F(StartedBesideParsing, TheGpuMergesListsWhereItIsTold) {
  for (const bool positions : {false, true}) {
    content_options_.positions = positions;
    set_random_corpus(71, 400);
    for (const GpuMerge merge : {GpuMerge::kAlways, GpuMerge::kNever, GpuMerge::kAuto}) {
      for (const unsigned threads : {1U, 4U, 24U}) {
        set(StartFault::kNone);
        IndexOptions options = gpu_job();
        options.threads = threads;
        options.gpu.merge = merge;
        const IndexReport report = expect_same_on_gpu(options);
        EXPECT_EQ(fake_gpu().merges, merge == GpuMerge::kAlways ? 1 : 0);
        EXPECT_EQ(report.gpu_postings != 0, merge == GpuMerge::kAlways);
        if (merge == GpuMerge::kAlways) {
          EXPECT_GE(report.gpu_postings, report.postings);  // no thread merged without a lane
        }
      }
    }
  }
}

TEST_F(StartedBesideParsing, TheProcessorMergesListsWhereTheGpuCannot) {
  set_random_corpus(72, 400);
  for (const StartFault fault : {StartFault::kMerge, StartFault::kTables}) {
    set(fault);
    IndexOptions options = gpu_job();
    options.gpu.merge = GpuMerge::kAlways;
    EXPECT_EQ(expect_same_on_gpu(options).gpu_postings, 0U);
    EXPECT_EQ(fake_gpu().merges, fault == StartFault::kMerge ? 2 : 1);  // once more without the memory of blocks
  }
}

// Where GPUs are to merge, they alone have the lists: the input is read again if these are lost.
TEST_F(StartedBesideParsing, ListsThatAreLostAreMadeAgainWhateverCallFails) {
  for (const bool positions : {false, true}) {
    content_options_.positions = positions;
    set_random_corpus(74, 150);
    IndexOptions options = gpu_job();
    options.gpu.merge = GpuMerge::kAlways;
    const IndexReport expected = expect_same_on_gpu(options);
    int lost = 0, survived = 0;
    for (std::uint64_t nth = 1;; nth += 1 + nth / 4) {
      set(StartFault::kNone);
      fail_gpu_call(nth, GpuFault::kLost);
      const IndexReport report = expect_same(options);
      const bool failed = gpu_faults_fired() != 0;
      fail_gpu_call(0);
      if (!failed) break;
      const bool is_lost = report.chunk_form == "postings";
      EXPECT_TRUE(!is_lost || report.cpu_blocks == report.blocks) << nth;
      EXPECT_LE(fake_gpu().merges, 1) << nth << ": a lost GPU is used no more";
      EXPECT_EQ(report.documents, expected.documents) << nth;
      EXPECT_EQ(report.records_in, expected.records_in) << nth;
      EXPECT_EQ(report.postings, expected.postings) << nth;
      ++(is_lost ? lost : survived);
    }
    EXPECT_GT(lost, 8);
    EXPECT_GT(survived, 3);
  }
}

TEST_F(StartedBesideParsing, ListsThatStayAreNotCompacted) {
  set_random_corpus(77, 500);
  for (const GpuMerge merge : {GpuMerge::kAlways, GpuMerge::kNever}) {
    set(StartFault::kNone);
    IndexOptions options = gpu_job();
    options.gpu.merge = merge;
    options.block_bytes = 2000;
    const IndexReport report = expect_same_on_gpu(options);
    EXPECT_GT(report.blocks, 64U);
    EXPECT_EQ(report.compactions != 0, merge == GpuMerge::kNever) << report.compactions;
    EXPECT_EQ(report.gpu_postings >= report.postings, merge == GpuMerge::kAlways);
  }
}

// One call fails while lists stay on the GPU; the next succeeds.
TEST_F(StartedBesideParsing, ListsThatStaySurviveAFailedCall) {
  set_random_corpus(76, 150);
  IndexOptions options = gpu_job();
  options.gpu.merge = GpuMerge::kAlways;
  int failures = 0;
  for (std::uint64_t nth = 1;; nth += 1 + nth / 4) {
    set(StartFault::kNone);
    fail_gpu_call(nth, GpuFault::kMemory);
    const IndexReport report = expect_same(options);
    const bool failed = gpu_faults_fired() != 0;
    fail_gpu_call(0);
    if (!failed) break;
    EXPECT_TRUE(report.chunk_form == "tokens" || nth <= 3) << nth << ": only a GPU without lanes is given up";
    ++failures;
  }
  EXPECT_GT(failures, 12);
}

// Nobody can read again what was already told of.
TEST_F(StartedBesideParsing, AJobThatCannotReadItsInputAgainSurvivesALostGpu) {
  set_random_corpus(75, 150);
  int failures = 0;
  for (std::uint64_t nth = 1;; nth += 1 + nth / 4) {
    set(StartFault::kNone);
    fail_gpu_call(nth, GpuFault::kLost);
    IndexOptions options = gpu_job();
    options.gpu.merge = GpuMerge::kAlways;
    options.resume.resumable = true;
    const IndexReport report = expect_same(options);
    const bool failed = gpu_faults_fired() != 0;
    fail_gpu_call(0);
    if (!failed) break;
    EXPECT_TRUE(report.chunk_form == "tokens" || nth <= 3) << nth;  // lanes
    ++failures;
  }
  EXPECT_GT(failures, 8);
}

TEST_F(StartedBesideParsing, TheProcessorMergesListsWithoutMemoryForLanes) {
  set_random_corpus(73, 400);
  set(StartFault::kNone);
  IndexOptions options = gpu_job();
  options.memory_bytes = std::uint64_t{256} << 20;
  options.gpu.merge = GpuMerge::kAlways;
  EXPECT_EQ(expect_same(options).gpu_postings, 0U);
  EXPECT_EQ(fake_gpu().merges, 0);
}

}  // namespace
}  // namespace spillway
