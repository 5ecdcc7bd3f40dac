#include "io/memory/budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <vector>

#include "io/base/error.hpp"

namespace spillway {
namespace {

TEST(MemoryBudget, HoldsReservationsUntilTheyEnd) {
  MemoryBudget budget(1000);
  {
    const Reservation a = budget.reserve(600, "a");
    const Reservation b = budget.reserve(400, "b");
    EXPECT_EQ(budget.used_bytes(), 1000u);
    EXPECT_EQ(budget.free_bytes(), 0u);
    EXPECT_FALSE(budget.try_reserve(1));
  }
  EXPECT_EQ(budget.used_bytes(), 0u);
  EXPECT_EQ(budget.peak_bytes(), 1000u);
}

TEST(MemoryBudget, RefusesMoreThanItHas) {
  MemoryBudget budget(1000);
  const Reservation held = budget.reserve(1, "held");
  EXPECT_THROW(budget.reserve(1000, "x"), BudgetError);
  EXPECT_THROW(budget.reserve(std::numeric_limits<std::size_t>::max(), "x"), BudgetError);
  EXPECT_EQ(budget.used_bytes(), 1u);
}

TEST(MemoryBudget, NamesConsumerFiguresAndRemedy) {
  MemoryBudget budget(std::size_t{1} << 20);
  try {
    budget.reserve(std::size_t{5} << 20, "the block");
    FAIL();
  } catch (const BudgetError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("the block needs 5242880 bytes"), std::string::npos) << message;
    EXPECT_NE(message.find("--memory at least 5M"), std::string::npos) << message;
  }
}

TEST(Reservation, MovesWithoutCountingTwice) {
  MemoryBudget budget(1000);
  Reservation a = budget.reserve(300, "a");
  Reservation b = std::move(a);
  EXPECT_EQ(budget.used_bytes(), 300u);
  Reservation c = budget.reserve(200, "c");
  c = std::move(b);
  EXPECT_EQ(budget.used_bytes(), 300u);
  c.release();
  c.release();
  EXPECT_EQ(budget.used_bytes(), 0u);
}

TEST(Reservation, ShrinksAndGivesTheRestBack) {
  MemoryBudget budget(1000);
  Reservation a = budget.reserve(300, "a");
  a.shrink(100);
  EXPECT_EQ(a.bytes(), 100u);
  EXPECT_EQ(budget.used_bytes(), 100u);
  a.shrink(200);
  EXPECT_EQ(budget.used_bytes(), 100u) << "it never grows";
}

TEST(MemoryBudget, IsNeverPassedByManyThreads) {
  MemoryBudget budget(100);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20'000; ++k) {
        const auto held = budget.try_reserve(30);
        EXPECT_LE(budget.used_bytes(), 100u);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(budget.used_bytes(), 0u);
  EXPECT_LE(budget.peak_bytes(), 100u);
}

TEST(MemoryBudget, WaitsForOthersToGiveBytesBack) {
  MemoryBudget budget(100);
  EXPECT_FALSE(budget.try_reserve(101, std::chrono::milliseconds(1)));
  for (int i = 0; i < 200; ++i) {
    Reservation held = budget.reserve(80, "the other thread");
    std::thread other([&] { i % 2 == 0 ? held.release() : held.shrink(20); });
    EXPECT_TRUE(budget.try_reserve(80, std::chrono::minutes(1)));
    other.join();
  }
  EXPECT_EQ(budget.used_bytes(), 0u);
}

TEST(Buffer, IsZeroedAndPaid) {
  MemoryBudget budget(1 << 20);
  Buffer buffer(budget, 100'000, "buffer");
  EXPECT_EQ(budget.used_bytes(), 100'000u);
  EXPECT_EQ(std::count(buffer.span().begin(), buffer.span().end(), 0), 100'000);
  EXPECT_EQ(buffer.as<std::uint64_t>().size(), 12'500u);
  buffer.data()[99'999] = 1;
  const std::uint8_t* const where = buffer.data();
  Buffer moved = std::move(buffer);
  EXPECT_EQ(moved.data(), where);
  EXPECT_EQ(moved.data()[99'999], 1);
  moved = Buffer();
  EXPECT_EQ(budget.used_bytes(), 0u);
}

TEST(Buffer, ShrinksToItsFirstBytes) {
  MemoryBudget budget(1 << 20);
  Buffer buffer(budget, 100'000, "buffer");
  buffer.data()[4999] = 7;
  buffer.shrink(5000);
  EXPECT_EQ(buffer.size(), 5000U);
  EXPECT_EQ(budget.used_bytes(), 5000U);
  EXPECT_EQ(buffer.data()[4999], 7);
  buffer.shrink(0);
  EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST(ReusedBuffer, TakesThePagesOfOneThatWas) {
  MemoryBudget budget(1 << 20);
  std::uint8_t* pages = nullptr;
  {
    Buffer first = Buffer::reused(budget, 100'000, "buffer");
    pages = first.data();
    first.data()[10] = 7;
    first.shrink(50'000);
    EXPECT_EQ(budget.used_bytes(), 50'000U);
  }
  EXPECT_EQ(budget.used_bytes(), 0U);
  EXPECT_EQ(budget.free_bytes(), budget.total_bytes());
  const Buffer other = Buffer::reused(budget, 90'000, "of another size");
  EXPECT_NE(other.data(), pages);
  Buffer second = Buffer::reused(budget, 100'000, "buffer");
  EXPECT_EQ(second.data(), pages);
  EXPECT_EQ(second.data()[10], 7);
  EXPECT_EQ(budget.used_bytes(), 190'000U);
  second.shrink(20'000);
  EXPECT_EQ(second.size(), 50'000U) << "its pages were touched before";
  Buffer moved = std::move(second);
  moved = Buffer();
  EXPECT_EQ(Buffer::reused(budget, 100'000, "buffer").data(), pages);
}

TEST(ReusedBuffer, GivesBackPagesFarAboveWhatItHolds) {
  constexpr std::size_t kSize = std::size_t{1} << 20, kPage = 4096;
  MemoryBudget budget(kSize);
  {
    Buffer large = Buffer::reused(budget, kSize, "buffer");
    std::fill_n(large.data(), 100 * kPage, std::uint8_t{1});
    large.shrink(100 * kPage);
  }
  Buffer small = Buffer::reused(budget, kSize, "buffer");
  small.data()[0] = 2;
  small.shrink(10);
  EXPECT_EQ(small.size(), kPage);
  EXPECT_EQ(budget.used_bytes(), kPage);
  EXPECT_EQ(small.data()[kPage - 1], 1);
  EXPECT_EQ(small.data()[kPage], 0) << "the page is with the system again";
}

// A request that does not fit leaves the account of kept pages unchanged.
TEST(ReusedBuffer, KeepsPagesThatNobodyCouldPayFor) {
  MemoryBudget budget(100'000);
  Buffer::reused(budget, 60'000, "buffer").shrink(20'000);
  {
    const Buffer other(budget, 50'000, "other");
    EXPECT_THROW(Buffer::reused(budget, 60'000, "buffer"), BudgetError);
    EXPECT_EQ(budget.used_bytes(), 50'000U);
  }
  Buffer again = Buffer::reused(budget, 60'000, "buffer");
  again.shrink(1);
  EXPECT_EQ(again.size(), 4096U) << "pages that were touched before";
}

// Some threads allocate and free buffers while another thread requests the pages they leave.
TEST(ReusedBuffer, IsPaidForAndGivenBackOnAnyThread) {
  MemoryBudget budget(1'000'000);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&budget, t] {
      for (int i = 0; i < 3000; ++i) {
        if (t == 0) {
          const auto large = budget.try_reserve(700'000);
          EXPECT_LE(budget.used_bytes(), budget.total_bytes());
        } else if (budget.free_bytes() > 300'000) {
          try {
            Buffer::reused(budget, 100'000 * static_cast<std::size_t>(t), "buffer").shrink(5000);
          } catch (const BudgetError&) {
          }
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(budget.used_bytes(), 0U);
  const Buffer all(budget, 1'000'000, "all");
}

TEST(ReusedBuffer, LeavesItsPagesOnlyWhileNobodyNeedsTheMemory) {
  MemoryBudget budget(100'000);
  const auto leave = [&] { Buffer::reused(budget, 60'000, "buffer").shrink(40'000); };
  leave();
  { const Buffer small(budget, 60'000, "what fits beside it"); }
  { const Buffer again = Buffer::reused(budget, 60'000, "buffer"); }  // not shrunk: the state of its pages is unknown
  leave();
  const Buffer large(budget, 100'000, "all of it");
  EXPECT_EQ(budget.used_bytes(), 100'000U);
  EXPECT_THROW(Buffer::reused(budget, 60'000, "buffer"), BudgetError);
}

TEST(Buffer, OfNothingCostsNothing) {
  MemoryBudget budget(0);
  const Buffer buffer(budget, 0, "nothing");
  EXPECT_EQ(buffer.size(), 0u);
}

TEST(Memory, OfThisProcessIsKnown) {
  EXPECT_GT(resident_bytes(), std::size_t{1} << 20);
  EXPECT_GE(peak_resident_bytes(), resident_bytes() / 2);
  EXPECT_GT(available_memory_bytes(), std::size_t{16} << 20);
}

}  // namespace
}  // namespace spillway
