#include "io/memory/account.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "io/memory/budget.hpp"

namespace spillway {
namespace {

std::size_t bytes_of(const MemoryBudget& budget, const std::string& consumer) {
  for (const auto& [name, bytes] : budget.account()->consumers()) {
    if (name == consumer) return bytes;
  }
  return 0;
}

TEST(MemoryAccount, IsKeptOnlyIfAskedFor) {
  MemoryBudget budget(1000);
  EXPECT_EQ(budget.account(), nullptr);
  const Reservation held = budget.reserve(10, "a");
}

TEST(MemoryAccount, CountsByConsumer) {
  MemoryBudget budget(10'000'000);
  budget.keep_account();
  Reservation a = budget.reserve(100, "a");
  {
    const Reservation more = budget.reserve(50, "a"), b = budget.reserve(7, "b");
    EXPECT_EQ(bytes_of(budget, "a"), 150u);
    EXPECT_EQ(bytes_of(budget, "b"), 7u);
  }
  EXPECT_EQ(bytes_of(budget, "a"), 100u);
  EXPECT_EQ(bytes_of(budget, "b"), 0u);
  a.shrink(30);
  EXPECT_EQ(bytes_of(budget, "a"), 30u);
  const Reservation moved = std::move(a);
  EXPECT_EQ(bytes_of(budget, "a"), 30u);
  const auto tried = budget.try_reserve(5, "c"), unnamed = budget.try_reserve(6);
  EXPECT_EQ(bytes_of(budget, "c"), 5u);
  EXPECT_EQ(bytes_of(budget, "others"), 6u);
}

TEST(MemoryAccount, CountsJoinedBytesForTheConsumerThatTakesThem) {
  MemoryBudget budget(1000);
  budget.keep_account();
  Reservation a = budget.reserve(100, "a"), empty;
  a.join(budget.reserve(20, "b"));
  EXPECT_EQ(bytes_of(budget, "a"), 120u);
  EXPECT_EQ(bytes_of(budget, "b"), 0u);
  empty.join(budget.reserve(5, "b"));
  EXPECT_EQ(bytes_of(budget, "b"), 5u);
  a.release();
  empty.release();
  EXPECT_EQ(bytes_of(budget, "a"), 0u);
  EXPECT_EQ(bytes_of(budget, "b"), 0u);
}

TEST(MemoryAccount, CountsBuffersThatAreReused) {
  MemoryBudget budget(10'000'000);
  budget.keep_account();
  { const Buffer first = Buffer::reused(budget, 65536, "chunks"); }
  EXPECT_EQ(bytes_of(budget, "chunks"), 0u);
  const Buffer second = Buffer::reused(budget, 65536, "others of this size");
  EXPECT_EQ(bytes_of(budget, "others of this size"), 65536u);
  Buffer grown(budget, 4096, "grown");
  grown.extend(budget.reserve(8192, "extension"));
  EXPECT_EQ(bytes_of(budget, "grown"), 12288u);
  EXPECT_EQ(bytes_of(budget, "extension"), 0u);
}

TEST(MemoryAccount, CountsConsumersBeyondItsRoomTogether) {
  MemoryBudget budget(1'000'000);
  budget.keep_account();
  std::vector<Reservation> held;
  for (std::size_t i = 0; i < MemoryAccount::kMostConsumers + 10; ++i) {
    held.push_back(budget.reserve(3, "consumer " + std::to_string(i)));
  }
  EXPECT_EQ(budget.account()->consumers().size(), MemoryAccount::kMostConsumers + 1);
  EXPECT_EQ(bytes_of(budget, "others"), 30u);
  held.clear();
  EXPECT_EQ(bytes_of(budget, "others"), 0u);
}

// The account of all consumers is the budget's own sum.
TEST(MemoryAccount, AgreesWithTheBudgetWhateverThreadsDo) {
  MemoryBudget budget(100'000);
  budget.keep_account();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&budget, t] {
        for (std::size_t i = 0; i < 5000; ++i) {
          auto one = budget.try_reserve(i % 97, "thread " + std::to_string(t)), two = budget.try_reserve(i % 31, "all");
          if (one && two) one->join(std::move(*two));
          if (one) one->shrink(i % 11);
        }
      });
    }
  }
  EXPECT_EQ(budget.used_bytes(), 0u);
  for (const auto& [name, bytes] : budget.account()->consumers()) EXPECT_EQ(bytes, 0u) << name;
}

}  // namespace
}  // namespace spillway
