#include "io/base/concurrency_limiter.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace spillway {
namespace {

// Counts how many threads hold a slot at the same time.
class Busy {
 public:
  void work() {
    const int now = ++busy_;
    int most = most_.load();
    while (most < now && !most_.compare_exchange_weak(most, now)) {
    }
    std::this_thread::yield();
    --busy_;
  }
  int most() const { return most_; }

 private:
  std::atomic<int> busy_{0}, most_{0};
};

TEST(ConcurrencyLimiter, AreNeverMoreThanThereAre) {
  for (const unsigned count : {1U, 3U}) {
    ConcurrencyLimiter slots(count);
    EXPECT_EQ(slots.count(), count);
    Busy busy;
    std::atomic<int> done{0};
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
          for (int turn = 0; turn < 200; ++turn) {
            const ThreadSlot slot = slots.take();
            busy.work();
            ++done;
          }
        });
      }
    }
    EXPECT_EQ(done, 8 * 200);
    EXPECT_LE(busy.most(), static_cast<int>(count));
  }
}

TEST(ConcurrencyLimiter, GoBackOnceHoweverTheyMove) {
  ConcurrencyLimiter slots(2);
  ThreadSlot first = slots.take();
  ThreadSlot second = std::move(first);
  first = slots.take();
  second.release();
  second.release();
  second = slots.take();
  { const ThreadSlot gone = std::move(first); }
  first = slots.take();  // waits forever if a slot is lost
  EXPECT_EQ(slots.waiting(), 0U);
}

TEST(ConcurrencyLimiter, GoToThoseWhoWaitInTheirOrder) {
  ConcurrencyLimiter slots(1);
  std::vector<int> order;  // written by the holder of the slot
  ThreadSlot held = slots.take();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      const ThreadSlot slot = slots.take();
      order.push_back(i);
    });
    while (slots.waiting() != static_cast<std::size_t>(i + 1)) std::this_thread::yield();
  }
  held.release();
  held = slots.take();  // served after them, although it was there first
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace spillway
