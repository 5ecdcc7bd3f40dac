#include "io/base/ordered_stage.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace spillway {
namespace {

using Bytes = std::vector<std::uint8_t>;

OrderedStage::Bytes one(std::uint8_t byte) {
  const auto owner = std::make_shared<const Bytes>(1, byte);
  return {*owner, owner};
}

TEST(OrderedStage, DoesAllInOrder) {
  Bytes done;
  OrderedStage stage(3, [&](OrderedStage::Bytes&& buffer) { done.push_back(buffer.bytes[0]); });
  Bytes expected;
  for (int i = 0; i < 1000; ++i) {
    expected.push_back(static_cast<std::uint8_t>(i));
    stage.put(one(expected.back()));
    if (i % 100 != 0) continue;
    stage.finish();
    ASSERT_EQ(done, expected);
  }
  stage.finish();
  EXPECT_EQ(done, expected);
}

TEST(OrderedStage, ThrowsWhatTheWorkThrewFromThenOn) {
  std::atomic<int> calls = 0;
  OrderedStage stage(2, [&](OrderedStage::Bytes&&) {
    if (++calls == 3) throw std::runtime_error("the third");
  });
  EXPECT_THROW(
      {
        for (int i = 0; i < 100; ++i) stage.put(one(0));
        stage.finish();
      },
      std::runtime_error);
  EXPECT_THROW(stage.put(one(0)), std::runtime_error);
  EXPECT_THROW(stage.finish(), std::runtime_error);
  EXPECT_EQ(calls, 3);
}

TEST(OrderedStage, OwnsNothingAfterAnError) {
  const auto owner = std::make_shared<const Bytes>(1, 7);
  std::mutex running;
  OrderedStage stage(10, [&](OrderedStage::Bytes&&) {
    const std::scoped_lock lock(running);
    throw std::runtime_error("the first");
  });
  {
    const std::scoped_lock lock(running);
    for (int i = 0; i < 5; ++i) stage.put({*owner, owner});
    EXPECT_EQ(owner.use_count(), 6);
  }
  EXPECT_THROW(stage.finish(), std::runtime_error);
  for (int i = 0; i < 1000 && owner.use_count() != 1; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(OrderedStage, PassesOnToTheNextAndDropsWhatWaits) {
  std::atomic<int> passed = 0;
  {
    OrderedStage second(1, [&](OrderedStage::Bytes&&) { ++passed; });
    OrderedStage first(1, [&](OrderedStage::Bytes&& buffer) { second.put(std::move(buffer)); });
    for (int i = 0; i < 50; ++i) first.put(one(0));
    first.finish();
    second.finish();
    EXPECT_EQ(passed, 50);
    for (int i = 0; i < 5; ++i) first.put(one(0));
  }
  EXPECT_LE(passed, 55);
}

}  // namespace
}  // namespace spillway
