// Tests that every block becomes a run even if GPUs fail in any way: nothing is lost, runs keep their order, and the
// blocks that the GPU did not sort are counted.
#include <mutex>
#include <numeric>

#include "io/base/error.hpp"
#include "tests/indexer/ingest/scripted_lanes.hpp"

namespace spillway {
namespace {

using Failure = testing::LaneFailure;
using testing::ScriptedLane;

class BlockQueueTest : public testing::QueueOfScriptedLanes {};

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
