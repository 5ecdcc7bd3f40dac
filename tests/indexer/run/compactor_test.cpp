// Tests the compaction of runs before the merge: no run is lost, their order stays, and memory is given back.
#include "indexer/run/compactor.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "io/base/error.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/sample_run.hpp"

namespace spillway {
namespace {

using testing::SampleRun;
constexpr std::size_t kMebibyte = std::size_t{1} << 20;

class RunCompactorTest : public ::testing::Test {
 protected:
  RunCompactorTest() : temp_(files_, {"/job"}, "t", 0) {}

  RunCompactorSetup setup(RunStore& store) {
    return {.overlaps = overlaps_,
            .slots = slots_,
            .memory_bytes = memory_bytes_,
            .run_block_bytes = kMinRunBlockBytes,
            .next_number = [this] { return next_number_++; },
            .check =
                [this] {
                  if (stopped_) throw InterruptedError(2);
                },
            .budget = budget_,
            .runs = store};
  }

  std::unique_ptr<StoredRun> make_run(RunStore& store, const SampleRun& sample) {
    testing::SampleWriting writing;
    writing.identity.number = next_number_++;
    return store.write(store.take_share(run_bytes_),
                       [&](WritableFile& file) { return testing::write_sample_run(sample, writing, file); });
  }

  // Returns a run whose document lengths are the sums of its frequencies.
  static SampleRun sample(std::uint64_t seed) {
    testing::SampleRunOptions options;
    options.documents = 1 + seed % 7;
    options.terms = 30;
    SampleRun run = testing::make_sample_run(seed, options);
    for (testing::SampleDocument& document : run.documents) document.length = 0;
    for (const auto& [term, postings] : run.terms) {
      for (const testing::SamplePosting& posting : postings)
        run.documents[posting.document].length += posting.frequency;
    }
    return run;
  }

  // Puts `count` runs. The runs of the store must then hold the same, one after the other.
  void put_and_check(RunStore& store, std::size_t count) {
    SampleRun expected, found;
    {
      RunCompactor compactor(setup(store));
      EXPECT_TRUE(compactor.empty());
      for (std::uint64_t i = 0; i < count; ++i) {
        const SampleRun run = sample(i);
        append(expected, run);
        compactor.put(make_run(store, run));
        compactor.check();
      }
      EXPECT_FALSE(compactor.empty());
      compactor.finish();
      stats_ = compactor.stats();
    }
    for (const auto& source : store.runs) {
      auto& run = dynamic_cast<StoredRun&>(*source);
      append(found, testing::read_sample_run(run.file()));
      run.close();
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(store.runs.size(), count - stats_.compacted_runs + stats_.compactions);
  }

  static void append(SampleRun& whole, const SampleRun& run) {
    const auto base = static_cast<std::uint32_t>(whole.documents.size());
    for (const auto& [term, postings] : run.terms) {
      for (testing::SamplePosting posting : postings) {
        posting.document += base;
        whole.terms[term].push_back(posting);
      }
    }
    whole.documents.insert(whole.documents.end(), run.documents.begin(), run.documents.end());
  }

  testing::FaultyFileSystem files_;
  MemoryBudget budget_{64 * kMebibyte};
  TempSpace temp_;
  std::atomic<bool> stopped_ = false;
  bool overlaps_ = true;
  ConcurrencyLimiter slots_{3};
  std::size_t memory_bytes_ = 8 * kMebibyte, run_bytes_ = std::size_t{256} << 10;
  std::atomic<std::uint64_t> next_number_{0};
  CompactionStats stats_;
};

TEST_F(RunCompactorTest, CompactsTheOldestWhereManyWait) {
  for (const bool overlaps : {false, true}) {
    overlaps_ = overlaps;
    RunStore store(budget_, temp_, 48 * kMebibyte, kMinRunBlockBytes);
    put_and_check(store, 100);
    EXPECT_EQ(stats_.compactions, 3U);
    EXPECT_EQ(stats_.compacted_runs, 3 * kMostCompactedRuns);
    EXPECT_GT(stats_.written_bytes, 0U);
    EXPECT_EQ(store.runs.front()->summary.document_count, 90U);
  }
}

TEST_F(RunCompactorTest, CompactsNoFewRuns) {
  RunStore store(budget_, temp_, 48 * kMebibyte, kMinRunBlockBytes);
  put_and_check(store, kMostWaitingRuns - 1);
  EXPECT_EQ(stats_.compactions, 0U);
}

TEST_F(RunCompactorTest, CompactsNothingWithoutMemory) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1000}}) {
    memory_bytes_ = bytes;
    RunStore store(budget_, temp_, 48 * kMebibyte, kMinRunBlockBytes);
    put_and_check(store, 60);
    EXPECT_EQ(stats_.compactions, 0U);
  }
}

// The store has 3 MiB. The runs before compaction take about 256 KiB each, the compacted ones a few KiB.
TEST_F(RunCompactorTest, SpillsCompactedRunsAndGivesTheirMemoryBack) {
  overlaps_ = false;
  RunStore store(budget_, temp_, 3 * kMebibyte, kMinRunBlockBytes);
  std::vector<RunShare> others;
  while (store.memory_left() > 850'000) others.push_back(store.take_share(50'000));
  const std::size_t left = store.memory_left();
  put_and_check(store, kLeastCompactedRuns);
  EXPECT_EQ(stats_.compactions, 1U);
  ASSERT_EQ(store.runs.size(), 1U);
  EXPECT_TRUE(store.runs.front()->is_spilled());
  EXPECT_EQ(store.memory_left(), left);
}

// Only a waiting thread tells the compactor that memory has become short.
TEST_F(RunCompactorTest, GivesMemoryBackToThoseWhoWait) {
  RunStore store(budget_, temp_, 3 * kMebibyte, kMinRunBlockBytes);
  RunCompactor compactor(setup(store));
  EXPECT_FALSE(compactor.wait_for_compaction());
  for (std::uint64_t i = 0; i < kLeastCompactedRuns; ++i) compactor.put(make_run(store, sample(i)));
  EXPECT_FALSE(compactor.wait_for_compaction());
  std::vector<RunShare> others;
  while (store.memory_left() > 3 * kMebibyte / 4) others.push_back(store.take_share(100'000));
  const std::size_t left = store.memory_left();
  EXPECT_TRUE(compactor.wait_for_compaction());
  EXPECT_GT(store.memory_left(), left);
  EXPECT_FALSE(compactor.wait_for_compaction());
  compactor.finish();
  EXPECT_EQ(store.runs.size(), 1U);
}

// This includes the cases in which the compacting thread finds too little memory, or nothing that is due any more.
TEST_F(RunCompactorTest, LetsNobodyWaitForACompactionThatDoesNotCome) {
  for (const std::size_t bytes : {std::size_t{1000}, 8 * kMebibyte}) {
    memory_bytes_ = bytes;
    RunStore store(budget_, temp_, 3 * kMebibyte, kMinRunBlockBytes);
    for (int round = 0; round < 50; ++round) {
      RunCompactor compactor(setup(store));
      for (std::uint64_t i = 0; i < kLeastCompactedRuns; ++i) compactor.put(make_run(store, sample(i)));
      std::vector<RunShare> others;
      while (store.memory_left() > 3 * kMebibyte / 4) others.push_back(store.take_share(100'000));
      std::thread giving([&others] { others.clear(); });
      const bool joined = compactor.wait_for_compaction();
      giving.join();
      compactor.finish();
      EXPECT_EQ(store.runs.size(), compactor.stats().compactions == 0 ? kLeastCompactedRuns : 1U);
      EXPECT_TRUE(!joined || compactor.stats().compactions == 1);
      store.runs.clear();
    }
  }
}

TEST_F(RunCompactorTest, LeavesSpilledRunsAndTheirNeighboursAsTheyAre) {
  for (const bool overlaps : {false, true}) {
    overlaps_ = overlaps;
    RunStore store(budget_, temp_, 48 * kMebibyte, kMinRunBlockBytes);
    SampleRun expected, found;
    RunCompactor compactor(setup(store));
    // Three runs are in memory, one is spilled, twelve are in memory, two are spilled.
    for (std::uint64_t i = 0; i < 18; ++i) {
      run_bytes_ = i == 3 || i >= 16 ? 100 * kMebibyte : kMebibyte / 4;
      const SampleRun run = sample(i);
      append(expected, run);
      compactor.put(make_run(store, run));
    }
    compactor.finish();
    EXPECT_EQ(compactor.stats().compactions, 1U);
    EXPECT_EQ(compactor.stats().compacted_runs, 12U);
    ASSERT_EQ(store.runs.size(), 7U);
    EXPECT_TRUE(store.runs[3]->is_spilled());
    EXPECT_FALSE(store.runs[4]->is_spilled());
    for (const auto& source : store.runs)
      append(found, testing::read_sample_run(dynamic_cast<StoredRun&>(*source).file()));
    EXPECT_EQ(found, expected);
  }
}

// A compaction waits for slots: parsers hold them while they parse.
TEST_F(RunCompactorTest, CompactsInSlotsThatNobodyHolds) {
  RunStore store(budget_, temp_, 48 * kMebibyte, kMinRunBlockBytes);
  RunCompactor compactor(setup(store));
  std::vector<ThreadSlot> held;
  while (held.size() < slots_.count()) held.push_back(slots_.take());
  for (std::uint64_t i = 0; i < kMostWaitingRuns; ++i) compactor.put(make_run(store, sample(i)));
  while (slots_.waiting() == 0) std::this_thread::yield();
  const std::size_t left = store.memory_left();
  held.pop_back();  // one is enough
  compactor.finish();
  EXPECT_GT(store.memory_left(), left);
  EXPECT_EQ(compactor.stats().compactions, 1U);
}

TEST_F(RunCompactorTest, KeepsACompactedRunWhereThereIsMemory) {
  RunStore store(budget_, temp_, 48 * kMebibyte, kMinRunBlockBytes);
  put_and_check(store, kMostWaitingRuns);
  ASSERT_EQ(stats_.compactions, 1U);
  EXPECT_FALSE(store.runs.front()->is_spilled());
  EXPECT_EQ(temp_.written_bytes(), 0U);
}

TEST_F(RunCompactorTest, SaysWhatACompactionMet) {
  for (const bool overlaps : {false, true}) {
    overlaps_ = overlaps;
    RunStore store(budget_, temp_, 48 * kMebibyte, kMinRunBlockBytes);
    RunCompactor compactor(setup(store));
    const auto put_all = [&] {
      compactor.put(store.write(store.take_share(run_bytes_), [](WritableFile& file) {
        file.append(std::vector<std::uint8_t>(1000, 7));
        return RunSummary{};
      }));
      for (std::uint64_t i = 0; i < kMostWaitingRuns; ++i) compactor.put(make_run(store, sample(i)));
      compactor.finish();
    };
    EXPECT_THROW(put_all(), FormatError);
    if (overlaps) {
      EXPECT_THROW(compactor.check(), FormatError);
    }
  }
}

TEST_F(RunCompactorTest, StopsAtASignalAndWhereTheJobIsGivenUp) {
  RunStore store(budget_, temp_, 48 * kMebibyte, kMinRunBlockBytes);
  {
    RunCompactor compactor(setup(store));
    for (std::uint64_t i = 0; i < kMostWaitingRuns; ++i) compactor.put(make_run(store, sample(i)));
  }
  EXPECT_TRUE(store.runs.empty());
  EXPECT_EQ(store.memory_left(), store.memory_bytes());
  RunCompactor compactor(setup(store));
  stopped_ = true;
  for (std::uint64_t i = 0; i < kMostWaitingRuns; ++i) compactor.put(make_run(store, sample(i)));
  EXPECT_THROW(compactor.finish(), InterruptedError);
}

TEST(CompactionMemory, GrowsWithBlocksAndThreads) {
  const std::size_t least = compaction_memory_bytes(kMinRunBlockBytes, 1);
  EXPECT_GT(compaction_memory_bytes(kMinRunBlockBytes, 4), least + kMostCompactedRuns * kMinRunBlockBytes);
  EXPECT_GT(compaction_memory_bytes(2 * kMinRunBlockBytes, 1), least);
}

}  // namespace
}  // namespace spillway
