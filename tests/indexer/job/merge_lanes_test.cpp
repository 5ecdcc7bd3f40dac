#include "indexer/job/merge_lanes.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace spillway {
namespace {

class NoLane final : public BatchLane {
 public:
  BatchArrays arrays() override { return {}; }
  bool merge(const BatchSize&, MergedBatch&) override { return false; }
};

class OneLane final : public BatchLanes {
 public:
  explicit OneLane(bool can_begin) : can_begin_(can_begin) {}
  void begin(const BatchMergeSource&) override {
    if (!can_begin_) throw std::runtime_error("no tables");
    has_begun_ = true;
  }
  std::unique_ptr<BatchLane> take() noexcept override {
    EXPECT_TRUE(has_begun_);
    return std::exchange(is_taken_, true) ? nullptr : std::make_unique<NoLane>();
  }
  void make_large() noexcept override {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    large_.emplace();
  }
  LargeLane* large() noexcept override { return large_ ? &*large_ : nullptr; }
  const HeldLists* held() noexcept override { return &held_; }
  void fail(const std::string&) noexcept override {}

 private:
  std::optional<LargeLane> large_;
  const HeldLists held_;
  const bool can_begin_;
  bool has_begun_ = false, is_taken_ = false;
};

class MergeLanesTest : public ::testing::Test {
 protected:
  void begin() { lanes_.begin({.dropped = dropped_, .length_codes = {}}); }
  // Makes and keeps lanes on a thread of its own.
  std::jthread make(const MergeLanes::Make& make) {
    return std::jthread([this, make] {
      lanes_.make(make);
      lanes_.wait_for_last_ranges();
      lanes_.wait_for_end();
    });
  }

  const DroppedDocuments dropped_;
  MergeLanes lanes_{0};
};

TEST_F(MergeLanesTest, GivesLanesOnceTheyAreMade) {
  const std::jthread maker = make([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return std::make_unique<OneLane>(true);
  });
  begin();
  EXPECT_NE(lanes_.take(), nullptr);
  EXPECT_EQ(lanes_.take(), nullptr);
  lanes_.end();
  EXPECT_EQ(lanes_.take(), nullptr);
  EXPECT_EQ(lanes_.failure(), "");
}

TEST_F(MergeLanesTest, BeginsLanesThatAreMadeFirst) {
  std::atomic<bool> is_made = false;
  const std::jthread maker = make([&] {
    is_made = true;
    return std::make_unique<OneLane>(true);
  });
  while (!is_made) std::this_thread::yield();
  begin();
  EXPECT_NE(lanes_.take(), nullptr);
  lanes_.end();
}

TEST_F(MergeLanesTest, WaitsForTheLargeLane) {
  const std::jthread maker = make([] { return std::make_unique<OneLane>(true); });
  begin();
  EXPECT_NE(lanes_.take(), nullptr);
  EXPECT_NE(lanes_.large(), nullptr);
  EXPECT_FALSE(lanes_.hold_alone());
  lanes_.end();
  EXPECT_EQ(lanes_.large(), nullptr);
}

TEST_F(MergeLanesTest, WaitsForNoLargeLaneWithoutLanes) {
  {
    const std::jthread maker = make([]() -> std::unique_ptr<BatchLanes> { return nullptr; });
    begin();
    EXPECT_EQ(lanes_.take(), nullptr);
    EXPECT_EQ(lanes_.large(), nullptr);
    lanes_.end();
  }
  MergeLanes lanes(0);
  const std::jthread maker([&] {
    lanes.make([] { return std::make_unique<OneLane>(false); });
    lanes.wait_for_end();
  });
  lanes.begin({.dropped = dropped_, .length_codes = {}});
  EXPECT_EQ(lanes.large(), nullptr);
  lanes.end();
}

TEST_F(MergeLanesTest, TellsWhyThereAreNone) {
  {
    const std::jthread maker =
        make([]() -> std::unique_ptr<BatchLanes> { throw std::runtime_error("the GPU is full"); });
    begin();
    EXPECT_EQ(lanes_.take(), nullptr);
    lanes_.end();
  }
  EXPECT_EQ(lanes_.failure(), "the GPU is full");
}

TEST_F(MergeLanesTest, GivesNoneThatCouldNotBegin) {
  const std::jthread maker = make([] { return std::make_unique<OneLane>(false); });
  begin();
  EXPECT_EQ(lanes_.take(), nullptr);
  lanes_.fail("later");
  EXPECT_EQ(lanes_.failure(), "no tables");
  lanes_.end();
}

TEST_F(MergeLanesTest, TellsThatTheLastRangesHaveBegun) {
  std::atomic<bool> is_told = false;
  const std::jthread maker([&] {
    lanes_.make([] { return std::make_unique<OneLane>(true); });
    lanes_.wait_for_last_ranges();
    is_told = true;
    lanes_.wait_for_end();
  });
  begin();
  EXPECT_NE(lanes_.take(), nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(is_told);
  lanes_.expect_end();
  while (!is_told) std::this_thread::yield();
  lanes_.end();
}

TEST_F(MergeLanesTest, WaitsForNoRangesWithoutLanes) {
  {
    const std::jthread maker([&] {
      lanes_.make([]() -> std::unique_ptr<BatchLanes> { return nullptr; });
      lanes_.wait_for_last_ranges();
      lanes_.end();
    });
  }
  MergeLanes cannot_begin(0);
  const std::jthread maker([&] {
    cannot_begin.make([] { return std::make_unique<OneLane>(false); });
    cannot_begin.wait_for_last_ranges();
    cannot_begin.end();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the lanes are most likely made first
  cannot_begin.begin({.dropped = dropped_, .length_codes = {}});
}

TEST_F(MergeLanesTest, CallsOnceWhatIsToBeDoneBeforeTheLanesGo) {
  struct Watched final : BatchLanes {
    explicit Watched(std::atomic<bool>& gone) : is_gone(gone) {}
    ~Watched() override { is_gone = true; }
    void begin(const BatchMergeSource&) override {}
    std::unique_ptr<BatchLane> take() noexcept override { return nullptr; }
    void fail(const std::string&) noexcept override {}
    std::atomic<bool>& is_gone;
  };
  std::atomic<bool> is_gone = false;
  int calls = 0;
  MergeLanes lanes(0, true, [&] {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(is_gone);
  });
  {
    const std::jthread maker([&] {
      lanes.make([&] { return std::make_unique<Watched>(is_gone); });
      lanes.wait_for_end();
    });
    lanes.begin({.dropped = dropped_, .length_codes = {}});
    EXPECT_EQ(lanes.take(), nullptr);
    EXPECT_EQ(calls, 0);
    lanes.end();
    lanes.end();
  }
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(is_gone);
}

TEST_F(MergeLanesTest, EndsWithoutAMerge) {
  const std::jthread maker = make([] { return std::make_unique<OneLane>(true); });
  lanes_.end();
}

}  // namespace
}  // namespace spillway
