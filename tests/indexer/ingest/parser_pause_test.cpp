// Tests which parsers pause while blocks wait for lanes, and when they go on.
#include <semaphore>

#include "indexer/ingest/ingest.hpp"
#include "io/base/error.hpp"
#include "tests/indexer/ingest/scripted_lanes.hpp"

namespace spillway {
namespace {

using testing::LaneFailure;
using testing::ScriptedLane;

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

// A parser that asks for room when `blocks` were put and each lane has one of them. Lanes and the CPU write no run
// before they are let.
class PausedParserTest : public testing::QueueOfScriptedLanes {
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
  script_.failure = LaneFailure::kLost;
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

TEST_F(PausedParserTest, DoesNotPauseBeforeThereAreLanes) {
  runs_.release(1000);
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

}  // namespace
}  // namespace spillway
