#include "indexer/gpu/pipeline/executor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

namespace spillway {
namespace {

struct PassFailure {};

struct CountedArena {
  int number = 0;
  int users = 0;  // no atomic: a second user at the same time is what these tests look for
};

std::vector<CountedArena> arenas(int count) {
  std::vector<CountedArena> made;
  for (int i = 0; i < count; ++i) made.push_back({i});
  return made;
}

TEST(ArenaPoolTest, GivesEachArenaToOneAtATime) {
  for (const int count : {1, 2, 3}) {
    ArenaPool<CountedArena> pool(arenas(count));
    std::atomic<int> out{0}, most{0}, shared{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 2000; ++i) {
          const auto turn = pool.take();
          const int now = ++out;
          for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
          if (++turn->users != 1) ++shared;
          if (i % 64 == 0) std::this_thread::yield();
          --turn->users;
          --out;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(shared, 0);
    EXPECT_LE(most, count);
    EXPECT_EQ(out, 0);
  }
}

TEST(ArenaPoolTest, HandsAllArenasOutBeforeAnyoneWaits) {
  ArenaPool<CountedArena> pool(arenas(3));
  std::vector<ArenaPool<CountedArena>::Turn> turns;
  std::set<int> numbers;
  for (int i = 0; i < 3; ++i) {
    turns.push_back(pool.take());
    numbers.insert(turns.back()->number);
  }
  EXPECT_EQ(numbers, (std::set<int>{0, 1, 2}));
}

TEST(ArenaPoolTest, WaitsUntilAnArenaIsGivenBack) {
  ArenaPool<CountedArena> pool(arenas(1));
  auto first = pool.take();
  std::atomic<bool> taken{false};
  std::thread waiting([&] {
    const auto second = pool.take();
    taken = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(taken);
  first.reset();
  waiting.join();
  EXPECT_TRUE(taken);
}

// A pass that throws gives its arena back as the turn ends.
TEST(ArenaPoolTest, GetsTheArenaBackFromAFailedPass) {
  ArenaPool<CountedArena> pool(arenas(1));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(
        {
          const auto turn = pool.take();
          throw PassFailure{};
        },
        PassFailure);
  }
  EXPECT_NE(pool.take(), nullptr);
}

}  // namespace
}  // namespace spillway
