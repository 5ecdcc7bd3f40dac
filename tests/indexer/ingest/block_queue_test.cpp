// Tests that every block becomes a run even if GPUs fail in any way: nothing is lost, runs keep their order, and the
// blocks that the GPU did not sort are counted.
#include "indexer/ingest/block_queue.hpp"
#include "indexer/block/key_sorter.hpp"
#include "indexer/ingest/ingest.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <numeric>
#include <semaphore>
#include <thread>

#include "io/base/error.hpp"
#include "io/scratch/temp_space.hpp"
#include "sort/sort_plan.hpp"
#include "sort/sorters.hpp"
#include "tests/support/faulty_file_system.hpp"

namespace spillway {
namespace {

constexpr std::size_t kBudget = std::size_t{64} << 20;

enum class Failure { kNone, kMemory, kCall, kLost };

struct Script {
  Failure failure = Failure::kNone;
  std::size_t from = 0, to = ~std::size_t{0};  // blocks that fail
  std::atomic<int> begun{0}, alive{0}, most_alive{0}, checked{0};
  int together = 0;                  // lanes that must have a block before the run of an even block is written
  std::function<void()> before_run;  // called before the run of a block is written
  // Waits for a minute at most; the test then fails because of the number of lanes.
  void wait_for_lanes() const {
    for (int i = 0; i < 60'000 && most_alive < together; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bool fails(std::size_t block) const { return failure != Failure::kNone && block >= from && block < to; }
  void fail() const {
    if (failure == Failure::kMemory) throw GpuMemoryError("no room for this block");
    throw GpuError("the device is gone", failure == Failure::kLost);
  }
};

// Sorts by the CPU's sorter, as a GPU would.
class ScriptedLane final : public GpuLane {
 public:
  ScriptedLane(Script& script, const BlockSorter& sorter, MemoryBudget& budget)
      : script_(script), sorter_(sorter), budget_(budget) {}
  std::size_t sort(const Block& block, const BlockSortOptions& options, BlockSortStats&) override {
    if (script_.fails(static_cast<std::size_t>(script_.begun++))) script_.fail();
    const int alive = ++script_.alive;
    int most = script_.most_alive.load();
    while (most < alive && !script_.most_alive.compare_exchange_weak(most, alive)) {
    }
    return run_bytes_bound(block, most_lists(block), options.run_block_bytes);
  }
  RunSummary write_run(const Block& block, WritableFile& file, const BlockSortOptions& options,
                       BlockSortStats& stats) override {
    if (options.check_sum) ++script_.checked;
    if (block.number % 2 == 0) script_.wait_for_lanes();
    if (script_.before_run) script_.before_run();
    const RunSummary summary = sorter_.write_run(block, file, options, budget_, stats);
    --script_.alive;
    return summary;
  }
  PassSeconds seconds() const override { return {}; }

 private:
  Script& script_;
  const BlockSorter& sorter_;
  MemoryBudget& budget_;
};

// Sorts by another sorter, once for each time that a test lets it.
class HeldSorter final : public BlockSorter {
 public:
  HeldSorter(std::unique_ptr<BlockSorter> sorter, std::counting_semaphore<>& gate)
      : sorter_(std::move(sorter)), gate_(gate) {}
  ChunkForm form() const override { return sorter_->form(); }
  std::size_t extra_bytes(const ChunkCounts& counts) const override { return sorter_->extra_bytes(counts); }
  RunSummary write_run(const Block& block, WritableFile& file, const BlockSortOptions& options, MemoryBudget& budget,
                       BlockSortStats& stats) const override {
    gate_.acquire();
    return sorter_->write_run(block, file, options, budget, stats);
  }

 private:
  const std::unique_ptr<BlockSorter> sorter_;
  std::counting_semaphore<>& gate_;
};

// Returns a chunk in the form of a table, with `documents` documents that hold `word` once each.
ParsedChunk chunk_of(MemoryBudget& budget, const std::string& word, std::uint32_t documents) {
  ParsedChunk chunk;
  const std::size_t text = (word.size() + 7) / 8 * 8;
  chunk.memory = Buffer(budget, sizeof(ChunkTerm) + text + documents * 12, "a chunk");
  std::uint8_t* at = chunk.memory.data();
  auto* term = reinterpret_cast<ChunkTerm*>(at);
  *term = {0, static_cast<std::uint32_t>(word.size())};
  auto& content = chunk.content.emplace<ChunkTable>();
  content.terms = {term, 1};
  at += sizeof(ChunkTerm);
  std::copy(word.begin(), word.end(), at);
  content.text = {at, word.size()};
  at += text;
  auto* numbers = reinterpret_cast<std::uint32_t*>(at);
  std::fill(numbers, numbers + documents, 0U);
  content.occurrences = {numbers, documents};
  std::fill(numbers + documents, numbers + 2 * documents, 1U);
  content.lengths = {numbers + documents, documents};
  at = reinterpret_cast<std::uint8_t*>(numbers + 2 * documents);
  for (std::uint32_t i = 0; i < documents; ++i) {
    at[2 * i] = 0;      // no fields
    at[2 * i + 1] = 1;  // one token
  }
  chunk.documents = {at, 2 * documents};
  chunk.document_count = documents;
  chunk.occurrence_count = documents;
  DocumentWeight weight;
  for (std::uint32_t i = 0; i < documents; ++i) weight.add(i, 1);
  chunk.sum.add(hash_term(word), weight.take());
  return chunk;
}

class BlockQueueTest : public ::testing::Test {
 protected:
  BlockQueueTest() : temp_(files_, {"/job"}, "t", 0) {}

  // Puts `count` blocks of three chunks through a queue and returns the number of documents of each run, in order.
  std::vector<std::uint64_t> run(IndexMode mode, std::size_t count, bool required = false) {
    RunStore runs(budget_, temp_, run_memory_bytes_);
    const unsigned lane_count = overlaps(mode) ? lanes_ : 1;
    plan_.blocks_in_flight = 1 + lane_count;
    plan_.fallback_bytes = 1;  // a chunk at a time
    BlockSortOptions options;
    options.run_block_bytes = kMinRunBlockBytes;
    GpuLanes lanes;
    for (unsigned i = 0; i < lane_count; ++i) {
      lanes.push_back(std::make_unique<ScriptedLane>(script_, *sorter_, budget_));
    }
    BlockSorters sorters{*sorter_, lanes};
    if (start_ != nullptr) {
      sorters.lanes = {};
      sorters.starting = std::async(std::launch::async, start_).share();
      sorters.starting_count = lanes_;
    }
    {
      BlockQueue queue({sorters, mode, required, options, plan_, slots_, context_, budget_, runs});
      for (std::size_t i = 0; i < count; ++i) {
        Block block;
        block.number = i;
        for (std::uint32_t c = 0; c < 3; ++c) {
          block.chunks.push_back(
              chunk_of(budget_, "word" + std::to_string(i), 100 * static_cast<std::uint32_t>(i) + c + 1));
        }
        queue.put(std::move(block));
        ++put_;
        if (after_put_) after_put_(queue);
      }
      queue.finish();
      stats_ = queue.stats();
    }
    std::vector<std::uint64_t> documents;
    spilled_ = 0;
    spilled_alone_ = 0;
    for (const auto& run : runs.runs) {
      documents.push_back(run->summary.document_count);
      if (!run->is_spilled()) continue;
      ++spilled_;
      spilled_alone_ += documents.back() % 300 == 6 ? 1 : 0;
    }
    return documents;
  }

  static std::uint64_t documents_of(std::size_t count) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += 300 * i + 6;
    return sum;
  }

  testing::FaultyFileSystem files_;
  MemoryBudget budget_{kBudget};
  TempSpace temp_;
  std::atomic<int> signal_{0};
  IndexProgress progress_;
  std::vector<std::string> warnings_;
  IndexContext context_{files_, signal_, progress_, [this](const std::string& words) { warnings_.push_back(words); },
                        [](const std::string&) {}};
  IndexPlan plan_;
  std::unique_ptr<BlockSorter> sorter_ = make_key_block_sorter(*find_record_sorter("cpu-radix"), auto_string_sorter());
  Script script_;
  ConcurrencyLimiter slots_{1};
  unsigned lanes_ = 2;
  std::function<GpuLanes()> start_;  // makes the lanes while blocks are put
  std::atomic<std::size_t> put_{0};
  std::function<void(BlockQueue&)> after_put_;
  std::size_t run_memory_bytes_ = kBudget / 4;
  int spilled_ = 0;
  int spilled_alone_ = 0;  // of one block
  BlockStats stats_;
};

TEST_F(BlockQueueTest, KeepsBlocksInOrderAndSeveralInFlight) {
  for (const IndexMode mode : {IndexMode::kGpu, IndexMode::kGpuPlus}) {
    const std::vector<std::uint64_t> documents = run(mode, 9);
    ASSERT_EQ(documents.size(), 9u);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(documents[i], 300 * i + 6);
    EXPECT_EQ(stats_.gpu_blocks, 9u);
    EXPECT_EQ(stats_.cpu_blocks, 0u);
    EXPECT_TRUE(stats_.gpu_failure.empty());
    EXPECT_LE(script_.most_alive, mode == IndexMode::kGpu ? 1 : 2);
  }
  EXPECT_TRUE(warnings_.empty());
}

// The run of an even block is written only after the other lanes have taken later blocks; the order of runs stays.
TEST_F(BlockQueueTest, KeepsEachLaneBusy) {
  for (const unsigned lanes : {2U, 5U}) {
    lanes_ = lanes;
    script_.together = static_cast<int>(lanes);
    script_.most_alive = 0;
    const std::vector<std::uint64_t> documents = run(IndexMode::kGpuPlus, 20);
    ASSERT_EQ(documents.size(), 20u);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(documents[i], 300 * i + 6);
    EXPECT_EQ(script_.most_alive, static_cast<int>(lanes));
    EXPECT_EQ(stats_.gpu_blocks, 20u);
  }
}

// The lanes come when all blocks that may wait were put, and no more.
TEST_F(BlockQueueTest, LetsBlocksWaitForLanesThatAreBeingMade) {
  for (const unsigned waiting : {0U, 1U, 4U, 50U}) {
    plan_.waiting_blocks = waiting;
    put_ = 0;
    std::size_t put_before_lanes = 0;
    start_ = [&] {
      const std::size_t most = std::min<std::size_t>(lanes_ + waiting, 9);
      for (int i = 0; i < 10'000 && put_ < most; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      put_before_lanes = put_;
      GpuLanes lanes;
      for (unsigned i = 0; i < lanes_; ++i) {
        lanes.push_back(std::make_unique<ScriptedLane>(script_, *sorter_, budget_));
      }
      return lanes;
    };
    const std::vector<std::uint64_t> documents = run(IndexMode::kGpuPlus, 9);
    EXPECT_EQ(put_before_lanes, std::min<std::size_t>(lanes_ + waiting, 9));
    ASSERT_EQ(documents.size(), 9U);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(documents[i], 300 * i + 6);
    EXPECT_EQ(stats_.gpu_blocks, 9U);
  }
}

// Lanes write no run until all blocks that may wait were put, and no more.
TEST_F(BlockQueueTest, LetsAsManyBlocksWaitForLanesThatAreBusy) {
  for (const unsigned waiting : {0U, 1U, 4U}) {
    plan_.waiting_blocks = waiting;
    put_ = 0;
    std::once_flag once;
    std::size_t put_before_runs = 0;
    script_.before_run = [&] {
      std::call_once(once, [&] {
        for (int i = 0; i < 10'000 && put_ < lanes_ + waiting; ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        put_before_runs = put_;
      });
    };
    EXPECT_EQ(run(IndexMode::kGpuPlus, 9).size(), 9U);
    EXPECT_EQ(put_before_runs, lanes_ + waiting);
  }
}

// A parser that asks for room when `blocks` were put and each lane has one of them. Lanes and the CPU write no run
// before they are let.
class PausedParserTest : public BlockQueueTest {
 protected:
  PausedParserTest() { sorter_ = std::make_unique<HeldSorter>(std::move(sorter_), runs_); }

  template <typename Then>
  void pause_after(unsigned blocks, const Then& then) {
    plan_.waiting_blocks = blocks;
    after_put_ = [this, blocks, then](BlockQueue& queue) {
      if (put_ != blocks) return;
      await_begun(static_cast<int>(lanes_));
      ask(queue);
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      EXPECT_FALSE(went_on_);
      then(queue);
      expect_to_go_on(queue);
    };
  }
  void ask(BlockQueue& queue) {
    went_on_ = false;
    parser_ = std::jthread([&] {
      queue.make_room_for_lanes();
      went_on_ = true;
    });
  }
  void expect_to_go_on(BlockQueue& queue) {
    for (int i = 0; i < 10'000 && !went_on_; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(went_on_);
    queue.make_no_more_room();
    parser_.join();
    runs_.release(1000);
  }
  void await_begun(int blocks) const {
    for (int i = 0; i < 10'000 && script_.begun < blocks; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_GE(script_.begun, blocks);
  }

  std::counting_semaphore<> runs_{0};
  std::jthread parser_;
  std::atomic<bool> went_on_ = false;
};

TEST_F(PausedParserTest, GoesOnWhenOneBlockWaits) {
  pause_after(5, [this](BlockQueue&) {
    runs_.release();
    await_begun(3);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_FALSE(went_on_);
    runs_.release();
  });
  EXPECT_EQ(run(IndexMode::kGpuPlus, 5).size(), 5U);
  EXPECT_TRUE(went_on_);
}

TEST_F(PausedParserTest, PausesForHalfAsManyBlocksAsLanes) {
  lanes_ = 8;
  pause_after(12, [this](BlockQueue&) { runs_.release(); });
  EXPECT_EQ(run(IndexMode::kGpuPlus, 12).size(), 12U);
  EXPECT_TRUE(went_on_);
}

TEST_F(PausedParserTest, GoesOnWhenTheJobEndsEarly) {
  pause_after(5, [](BlockQueue& queue) { queue.make_no_more_room(); });
  EXPECT_EQ(run(IndexMode::kGpuPlus, 5).size(), 5U);
  EXPECT_TRUE(went_on_);
}

// Both sorting threads end, and leave at least three blocks.
TEST_F(PausedParserTest, GoesOnAfterASignal) {
  pause_after(7, [this](BlockQueue&) {
    signal_ = 2;
    runs_.release(2);
  });
  EXPECT_THROW(run(IndexMode::kGpuPlus, 7), InterruptedError);
  EXPECT_TRUE(went_on_);
  EXPECT_EQ(script_.begun, 2);
}

// The CPU holds one block, so three wait or more.
TEST_F(PausedParserTest, DoesNotPauseWithoutAGpu) {
  script_.failure = Failure::kLost;
  for (const unsigned lanes : {0U, 2U}) {
    lanes_ = lanes;
    put_ = 0;
    plan_.waiting_blocks = 5;
    after_put_ = [this](BlockQueue& queue) {
      if (put_ != 5) return;
      if (lanes_ != 0) await_begun(1);
      ask(queue);
      expect_to_go_on(queue);
    };
    run(IndexMode::kGpuPlus, 5);
    EXPECT_EQ(stats_.cpu_blocks, 5U);
    while (runs_.try_acquire()) {
    }
  }
}

TEST_F(BlockQueueTest, LetsNoParserPauseBeforeThereAreLanes) {
  plan_.waiting_blocks = 9;
  after_put_ = [](BlockQueue& queue) { queue.make_room_for_lanes(); };
  start_ = [&] {
    for (int i = 0; i < 10'000 && put_ < 9; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(put_, 9U);
    GpuLanes lanes;
    for (unsigned i = 0; i < lanes_; ++i) {
      lanes.push_back(std::make_unique<ScriptedLane>(script_, *sorter_, budget_));
    }
    return lanes;
  };
  EXPECT_EQ(run(IndexMode::kGpuPlus, 9).size(), 9U);
}

TEST(ParsersThatPause, LeaveAnEighthOfTheProcessorsToLanes) {
  EXPECT_EQ(parsers_that_pause(16, 16, 16), 2U);
  EXPECT_EQ(parsers_that_pause(32, 32, 32), 4U);
  EXPECT_EQ(parsers_that_pause(8, 8, 8), 1U);
  EXPECT_EQ(parsers_that_pause(7, 7, 7), 0U);
  EXPECT_EQ(parsers_that_pause(15, 15, 16), 0U);  // a processor is free
  EXPECT_EQ(parsers_that_pause(12, 16, 16), 0U);  // four are
  EXPECT_EQ(parsers_that_pause(24, 24, 16), 10U);
  EXPECT_EQ(parsers_that_pause(1, 1, 1), 0U);
}

TEST_F(BlockQueueTest, EndsBeforeItsFirstRunWhereNoLanesCome) {
  plan_.waiting_blocks = 3;
  for (const std::size_t blocks : {1, 2, 9}) {
    start_ = []() -> GpuLanes {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      throw GpuStartError(GpuStartError::Kind::kFailed, "the device is gone");
    };
    EXPECT_THROW(run(IndexMode::kGpuPlus, blocks), GpuStartError);
    EXPECT_EQ(script_.begun, 0);
    EXPECT_EQ(progress_.runs, 0U);
  }
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(BlockQueueTest, SortsOnTheCpuWhatTheGpuDoesNot) {
  for (const IndexMode mode : {IndexMode::kGpu, IndexMode::kGpuPlus}) {
    for (const Failure failure : {Failure::kMemory, Failure::kCall, Failure::kLost}) {
      script_.failure = failure;
      script_.begun = 0;
      script_.from = 2;
      script_.to = 4;
      warnings_.clear();
      const std::vector<std::uint64_t> documents = run(mode, 8);
      EXPECT_EQ(std::accumulate(documents.begin(), documents.end(), std::uint64_t{0}), documents_of(8));
      EXPECT_EQ(stats_.gpu_blocks + stats_.cpu_blocks, 8u);
      EXPECT_EQ(warnings_.size(), 1u);
      // A block that does not fit leaves the others to the GPU. A device that fails gets no more blocks, but may finish
      // what other lanes have begun.
      if (failure == Failure::kMemory) {
        EXPECT_EQ(stats_.cpu_blocks, 2u);
      } else {
        EXPECT_GE(stats_.cpu_blocks, 4u);
      }
      // A block that the CPU sorts with little memory becomes several runs.
      EXPECT_EQ(documents.size(), stats_.gpu_blocks + 3 * stats_.cpu_blocks);
      EXPECT_FALSE(stats_.gpu_failure.empty());
    }
  }
}

TEST_F(BlockQueueTest, FailsWithAGpuThatIsRequired) {
  for (const IndexMode mode : {IndexMode::kGpu, IndexMode::kGpuPlus}) {
    script_.failure = Failure::kMemory;
    script_.begun = 0;
    script_.from = 1;
    try {
      run(mode, 6, true);
      FAIL();
    } catch (const GpuError& error) {
      EXPECT_EQ(error.code(), ExitCode::kNoGpu);
      EXPECT_NE(std::string(error.what()).find("--require-gpu"), std::string::npos);
    }
  }
}

// Whether a run stays in memory is known only when it is written.
TEST_F(BlockQueueTest, ChecksTheSumsOfRunsThatLeaveMemoryAndOfNoOthers) {
  run_memory_bytes_ = std::size_t{400} << 10;
  run(IndexMode::kGpuPlus, 12);
  EXPECT_EQ(stats_.gpu_blocks, 12u);
  EXPECT_GT(spilled_, 0);
  EXPECT_LT(spilled_, 12);
  EXPECT_EQ(script_.checked, spilled_);
}

TEST_F(BlockQueueTest, JoinsManyRunsInTheirOrder) {
  plan_.compaction_bytes = std::size_t{24} << 20;
  for (const IndexMode mode : {IndexMode::kGpu, IndexMode::kGpuPlus}) {
    lanes_ = mode == IndexMode::kGpu ? 1 : 5;
    const std::vector<std::uint64_t> documents = run(mode, 40);
    ASSERT_EQ(documents.size(), 40 - kMostCompactedRuns + 1);
    EXPECT_EQ(documents.front(), documents_of(kMostCompactedRuns));
    for (std::size_t i = 1; i < documents.size(); ++i) EXPECT_EQ(documents[i], 300 * (kMostCompactedRuns - 1 + i) + 6);
    EXPECT_EQ(stats_.compaction.compacted_runs, kMostCompactedRuns);
  }
}

// The compaction gets no slot until the memory for runs is full and all threads wait for it. Only compacted runs may
// then be spilled, never the run of a single block.
TEST_F(BlockQueueTest, WaitsForAJoinRatherThanSpillSmallRuns) {
  plan_.compaction_bytes = std::size_t{24} << 20;
  run_memory_bytes_ = std::size_t{3} << 20;
  constexpr std::size_t kBlocks = 60;
  for (const unsigned lanes : {1U, 2U}) {
    lanes_ = lanes;
    ThreadSlot held = slots_.take();
    std::jthread giving([&] {
      while (slots_.waiting() == 0) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      held.release();
    });
    const std::vector<std::uint64_t> documents = run(IndexMode::kGpuPlus, kBlocks);
    giving.join();
    EXPECT_EQ(std::accumulate(documents.begin(), documents.end(), std::uint64_t{0}), documents_of(kBlocks));
    EXPECT_EQ(stats_.gpu_blocks, kBlocks);
    EXPECT_GT(stats_.compaction.compactions, 1U);
    // With two lanes, one may be far ahead: its runs wait, and are not compacted yet.
    if (lanes == 1) {
      EXPECT_EQ(spilled_alone_, 0);
    }
  }
  plan_.compaction_bytes = 0;
  run(IndexMode::kGpuPlus, kBlocks);
  EXPECT_GT(spilled_alone_, 0) << "memory would have lasted without compactions";
}

// The signal comes while other threads wait for the compaction.
TEST_F(BlockQueueTest, StopsAtASignalInAJoin) {
  plan_.compaction_bytes = std::size_t{24} << 20;
  run_memory_bytes_ = std::size_t{3} << 20;
  ThreadSlot held = slots_.take();
  std::jthread giving([&] {
    while (slots_.waiting() == 0) std::this_thread::yield();
    signal_ = 15;
    held.release();
  });
  EXPECT_THROW(run(IndexMode::kGpuPlus, 60), InterruptedError);
}

TEST_F(BlockQueueTest, StopsAtASignal) {
  signal_ = 2;
  EXPECT_THROW(run(IndexMode::kGpuPlus, 3), InterruptedError);
}

}  // namespace
}  // namespace spillway
