#include "indexer/gpu/pipeline/pinned_registry.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <semaphore>
#include <set>
#include <thread>
#include <vector>

#include "io/memory/budget.hpp"
#include "sort/gpu/device/error.hpp"

namespace spillway {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kSlotBytes = 16 * kMebibyte;  // two in a region

// Blocks of two chunks, each in a region of its own. Locks are counted, and wait for `gate_` where a test asks for it.
class PinnedRegistryTest : public ::testing::Test {
 protected:
  std::unique_ptr<PinnedRegistry> make(LockTurn turn) {
    return std::make_unique<PinnedRegistry>(turn, [this](std::span<std::uint8_t> region, int gpu) {
      ++asked_;
      if (waits_) gate_.acquire();
      if (fails_) throw GpuError("the test's GPU is lost", true);
      const std::lock_guard lock(mutex_);
      gpus_.insert(gpu);
      EXPECT_TRUE(locked_.insert(region.data()).second);
      if (refuses_) return std::shared_ptr<void>();
      ++held_;
      return std::shared_ptr<void>(region.data(), [this](void*) { --held_; });
    });
  }
  std::vector<ParsedChunk> take_block() {
    std::vector<ParsedChunk> chunks(2);
    for (ParsedChunk& chunk : chunks) {
      chunk.memory = ChunkMemory(pool_.take(), Buffer());
      spare_.push_back(pool_.take());
    }
    return chunks;
  }
  void await_asked(int locks) const {
    for (int i = 0; i < 10'000 && asked_ < locks; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(asked_, locks);
  }
  static int locked_of(PinnedRegistry& registry, const std::vector<ParsedChunk>& block) {
    int locked = 0;
    for (const ParsedChunk& chunk : block) locked += registry.is_locked(chunk.memory.region()) ? 1 : 0;
    return locked;
  }

  MemoryBudget budget_{256 * kMebibyte};
  PinnedSlotPool pool_{budget_, 130 * kMebibyte, kSlotBytes};
  std::vector<PinnedSlotPool::Slot> spare_;
  const std::vector<ParsedChunk> first_ = take_block(), second_ = take_block();
  std::atomic<int> asked_ = 0, held_ = 0;
  std::atomic<bool> waits_ = false, fails_ = false, refuses_ = false;
  std::counting_semaphore<> gate_{0};
  std::mutex mutex_;
  std::set<int> gpus_;
  std::set<const std::uint8_t*> locked_;
};

TEST_F(PinnedRegistryTest, LocksTheRegionsOfABlockOnce) {
  for (const LockTurn turn : {LockTurn::kWait, LockTurn::kPack}) {
    locked_.clear();
    asked_ = 0;
    auto registry = make(turn);
    EXPECT_EQ(locked_of(*registry, first_), 0);
    registry->prepare(first_, 3);
    registry->prepare(first_, 1);
    registry->prepare(std::vector<ParsedChunk>(2), 1);  // without slots
    EXPECT_EQ(locked_of(*registry, first_), 2);
    EXPECT_EQ(locked_of(*registry, second_), 0);
    EXPECT_EQ(asked_, 2);
    EXPECT_EQ(gpus_, (std::set<int>{3}));
    EXPECT_EQ(held_, 2);
    registry.reset();
    EXPECT_EQ(held_, 0);
  }
}

TEST_F(PinnedRegistryTest, PacksWhileAnotherLaneLocks) {
  waits_ = true;
  const auto registry = make(LockTurn::kPack);
  {
    const std::jthread other([&] { registry->prepare(first_, 0); });
    await_asked(1);
    std::atomic<bool> returned = false;
    const std::jthread lane([&] {
      registry->prepare(second_, 1);
      returned = true;
    });
    for (int i = 0; i < 10'000 && !returned; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(returned);
    EXPECT_EQ(asked_, 1);
    EXPECT_EQ(locked_of(*registry, second_), 0);
    gate_.release(4);
  }
  EXPECT_EQ(locked_of(*registry, first_), 2);
  waits_ = false;
  registry->prepare(second_, 1);
  EXPECT_EQ(locked_of(*registry, second_), 2);
}

TEST_F(PinnedRegistryTest, WaitsWhileAnotherLaneLocks) {
  waits_ = true;
  const auto registry = make(LockTurn::kWait);
  {
    const std::jthread other([&] { registry->prepare(first_, 0); });
    await_asked(1);
    const std::jthread next([&] { registry->prepare(second_, 0); });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_EQ(asked_, 1);
    gate_.release(4);
  }
  EXPECT_EQ(locked_of(*registry, first_), 2);
  EXPECT_EQ(locked_of(*registry, second_), 2);
}

TEST_F(PinnedRegistryTest, AsksOnceForARegionThatTheSystemRefuses) {
  refuses_ = true;
  const auto registry = make(LockTurn::kWait);
  registry->prepare(first_, 0);
  registry->prepare(first_, 0);
  EXPECT_EQ(locked_of(*registry, first_), 0);
  EXPECT_EQ(asked_, 2);
}

TEST_F(PinnedRegistryTest, LocksAfterAnErrorWhatItCouldNotBefore) {
  const auto registry = make(LockTurn::kPack);
  fails_ = true;
  EXPECT_THROW(registry->prepare(first_, 0), GpuError);
  EXPECT_EQ(locked_of(*registry, first_), 0);
  fails_ = false;
  registry->prepare(first_, 0);
  EXPECT_EQ(locked_of(*registry, first_), 2);
}

}  // namespace
}  // namespace spillway
