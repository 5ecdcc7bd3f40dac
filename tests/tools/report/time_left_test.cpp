#include "tools/report/time_left.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace spillway {
namespace {

TEST(TimeLeft, PromisesNothingTooEarlyOrWithoutATotal) {
  IndexProgress progress;
  TimeLeft left;
  progress.bytes_total = 1000;
  progress.bytes_done = 500;
  EXPECT_FALSE(left.update(progress, 0.5));
  IndexProgress stream;
  stream.bytes_done = 1'000'000;
  TimeLeft of_stream;
  EXPECT_FALSE(of_stream.update(stream, 20));
}

// A pass before the one that parses is faster, and says nothing about that one.
TEST(TimeLeft, BeginsAnewAfterThePassOverRevisits) {
  IndexProgress progress;
  TimeLeft left;
  progress.bytes_total = 1000;
  progress.stage = kRevisitStage;
  for (int second = 1; second <= 10; ++second) {
    progress.bytes_done = static_cast<std::uint64_t>(100 * second);
    EXPECT_FALSE(left.update(progress, second));
  }
  progress.stage = "parse";
  progress.bytes_done = 0;
  EXPECT_FALSE(left.update(progress, 10.5));
  progress.bytes_done = 200;
  EXPECT_NEAR(left.update(progress, 20).value_or(0), 10 / 0.2 * 1.35 - 10, 1);
}

// A job that reads for 60 s and merges for 20 s, updated five times a second.
TEST(TimeLeft, CountsDownToTheEndOfTheWholeJobWithoutJumps) {
  IndexProgress progress;
  TimeLeft left;
  progress.bytes_total = 60000;
  double before = -1;
  for (int tick = 1; tick < 400; ++tick) {
    const double now = tick * 0.2;
    progress.bytes_done = static_cast<std::uint64_t>(std::min(60.0, now) * 1000);
    if (now > 60) {
      progress.postings_total = 1000;
      progress.postings_done = static_cast<std::uint64_t>((now - 60) / 20 * 1000);
    }
    const auto shown = left.update(progress, now);
    if (now < 2) continue;
    ASSERT_TRUE(shown) << now;
    if (before >= 0) {
      EXPECT_LT(std::abs(*shown - before), 1.5) << now;
    }
    EXPECT_NEAR(*shown, 80 - now, 8) << now;
    before = *shown;
  }
  EXPECT_LT(before, 3);
}

// The first second of a job reads from the page cache, the rest from a slow disk.
TEST(TimeLeft, FollowsARateThatChangesSlowly) {
  IndexProgress progress;
  TimeLeft left;
  progress.bytes_total = 1'000'000;
  double most_step = 0, before = -1;
  for (int tick = 1; tick < 500; ++tick) {
    const double now = tick * 0.2;
    progress.bytes_done = static_cast<std::uint64_t>(now < 3 ? now * 50000 : 150000 + (now - 3) * 5000);
    const auto shown = left.update(progress, now);
    if (!shown) continue;
    if (before >= 0) most_step = std::max(most_step, std::abs(*shown - before));
    before = *shown;
  }
  EXPECT_LT(most_step, 5);
  EXPECT_GT(before, 60);
}

}  // namespace
}  // namespace spillway
