#include "sort/gpu/device/sort_lanes.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace spillway {
namespace {

// What the fake GPUs have had to do, and what they hold.
struct FakeGpus {
  int streams = 0, allocations = 0, live_streams = 0;
  std::size_t live_bytes = 0, memory_bytes = ~std::size_t{0};
  bool makes_streams = true;
};
FakeGpus* gpus = nullptr;

class FakeStream {
 public:
  explicit FakeStream(int number) : gpu(number) {
    if (!gpus->makes_streams) throw GpuError("no stream");
    ++gpus->streams;
    ++gpus->live_streams;
  }
  ~FakeStream() { --gpus->live_streams; }
  FakeStream(const FakeStream&) = delete;
  FakeStream& operator=(const FakeStream&) = delete;
  const int gpu;
};

class FakeMemory {
 public:
  FakeMemory() = default;
  FakeMemory(int, std::size_t bytes) : bytes_(bytes) {
    if (gpus->live_bytes + bytes > gpus->memory_bytes) throw GpuMemoryError("no memory");
    ++gpus->allocations;
    gpus->live_bytes += bytes;
  }
  ~FakeMemory() { gpus->live_bytes -= bytes_; }
  FakeMemory(FakeMemory&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  FakeMemory& operator=(FakeMemory&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  std::size_t size() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

class SortLanesTest : public ::testing::Test {
 protected:
  using Lanes = SortLanes<FakeStream, FakeMemory>;
  void SetUp() override { gpus = &gpus_; }
  void TearDown() override {
    EXPECT_EQ(gpus_.live_bytes, 0U);
    EXPECT_EQ(gpus_.live_streams, 0);
  }

  static void sort(Lanes& lanes, std::size_t bytes) {
    Lanes::Turn turn = lanes.take();
    EXPECT_GE(turn.memory(bytes).size(), bytes);
    turn.done();
  }

  FakeGpus gpus_;
};

TEST_F(SortLanesTest, KeepsStreamAndMemoryForLaterSorts) {
  Lanes lanes({0}, 1000);
  for (const std::size_t bytes : {100, 50, 100, 0, 1}) sort(lanes, bytes);
  EXPECT_EQ(gpus_.streams, 1);
  EXPECT_EQ(gpus_.allocations, 1);
  sort(lanes, 101);
  EXPECT_EQ(gpus_.allocations, 2);
  EXPECT_EQ(gpus_.live_bytes, 101U);
}

TEST_F(SortLanesTest, KeepsNoMoreMemoryThanItMay) {
  Lanes lanes({0}, 1000);
  sort(lanes, 1001);
  EXPECT_EQ(gpus_.live_bytes, 0U);
  {
    Lanes::Turn first = lanes.take(), second = lanes.take();
    first.memory(600);
    second.memory(600);
    first.done();
    second.done();
  }
  EXPECT_EQ(gpus_.live_bytes, 600U);
  EXPECT_EQ(gpus_.streams, 2);
}

TEST_F(SortLanesTest, TakesTheGpuWithTheFewestSorts) {
  Lanes lanes({3, 5}, 1000);
  Lanes::Turn first = lanes.take(), second = lanes.take();
  EXPECT_EQ(first.stream().gpu, 3);
  EXPECT_EQ(second.stream().gpu, 5);
  {
    Lanes::Turn third = lanes.take();
    EXPECT_EQ(third.stream().gpu, 3);
    Lanes::Turn fourth = lanes.take();
    EXPECT_EQ(fourth.stream().gpu, 5);
  }
  EXPECT_EQ(lanes.take().stream().gpu, 3);
}

TEST_F(SortLanesTest, TakesOnlyGpusThatWereNamed) {
  Lanes lanes({3, 5, 6}, 1000);
  const std::vector<int> last{6}, others{5, 6}, unknown{4};
  Lanes::Turn first = lanes.take(last);
  EXPECT_EQ(first.stream().gpu, 6);
  EXPECT_EQ(lanes.take(last).stream().gpu, 6);
  EXPECT_EQ(lanes.take(others).stream().gpu, 5);
  EXPECT_EQ(lanes.take().stream().gpu, 3);
  EXPECT_THROW(lanes.take(unknown), GpuError);
}

TEST_F(SortLanesTest, UsesNoLaneAgainWhoseSortFailed) {
  Lanes lanes({0}, 1000);
  lanes.take().memory(100);
  EXPECT_EQ(gpus_.live_streams, 0);
  EXPECT_EQ(gpus_.live_bytes, 0U);
  sort(lanes, 10);
  EXPECT_EQ(gpus_.streams, 2);
}

TEST_F(SortLanesTest, GivesWhatIsKeptToASortThatNeedsIt) {
  Lanes lanes({0}, 1000);
  gpus_.memory_bytes = 1000;
  {
    Lanes::Turn first = lanes.take(), second = lanes.take();
    first.memory(400);
    second.memory(500);
    first.done();
    second.done();
  }
  EXPECT_EQ(gpus_.live_bytes, 900U);
  sort(lanes, 1000);
  {
    Lanes::Turn turn = lanes.take();
    EXPECT_THROW(turn.memory(1001), GpuMemoryError);
  }
  sort(lanes, 1000);
}

TEST_F(SortLanesTest, CountsNoSortWhoseStreamCannotBeMade) {
  Lanes lanes({0, 1}, 1000);
  gpus_.makes_streams = false;
  EXPECT_THROW(lanes.take(), GpuError);
  gpus_.makes_streams = true;
  EXPECT_EQ(lanes.take().stream().gpu, 0);
}

}  // namespace
}  // namespace spillway
