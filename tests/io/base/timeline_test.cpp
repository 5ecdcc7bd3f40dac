#include "io/base/timeline.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

namespace spillway {
namespace {

std::size_t span_count(const std::vector<Timeline::Lane>& lanes) {
  std::size_t count = 0;
  for (const Timeline::Lane& lane : lanes) count += lane.spans.size();
  return count;
}

double busy_seconds(const std::vector<Timeline::Lane>& lanes) {
  double seconds = 0;
  for (const Timeline::Lane& lane : lanes) {
    for (const Timeline::Span& span : lane.spans) seconds += span.busy;
  }
  return seconds;
}

TEST(Timeline, PutsOverlappingSpansOfAStageIntoLanes) {
  Timeline timeline;
  {
    const StageSpan merge(&timeline, JobStage::kMerge);
    StageSpan first(&timeline, JobStage::kParse), second(&timeline, JobStage::kParse);
    first.end();
    const StageSpan third(&timeline, JobStage::kParse);  // takes the lane of the first
  }
  const auto lanes = timeline.lanes();
  ASSERT_EQ(lanes.size(), 3u);
  EXPECT_EQ(lanes[0].stage, JobStage::kParse);
  EXPECT_EQ(lanes[0].number, 0u);
  EXPECT_EQ(lanes[0].spans.size(), 2u);
  EXPECT_EQ(lanes[1].stage, JobStage::kParse);
  EXPECT_EQ(lanes[1].number, 1u);
  EXPECT_EQ(lanes[1].spans.size(), 1u);
  EXPECT_EQ(lanes[2].stage, JobStage::kMerge);
  for (const auto& span : lanes[0].spans) EXPECT_LE(span.begin, span.end);
  EXPECT_LE(lanes[0].spans[0].end, lanes[0].spans[1].begin);
}

TEST(Timeline, TakesSpansOfAnotherClock) {
  Timeline timeline;
  timeline.add(JobStage::kUpload, 1, 2);
  timeline.add(JobStage::kUpload, 1.5, 3);
  timeline.add(JobStage::kUpload, 2, 2.5);
  const auto lanes = timeline.lanes();
  ASSERT_EQ(lanes.size(), 2u);
  EXPECT_EQ(lanes[0].spans.size(), 2u);
  EXPECT_DOUBLE_EQ(lanes[1].spans[0].end, 3);
}

TEST(Timeline, IsNothingWithoutATimeline) {
  StageSpan span(nullptr, JobStage::kSort);
  span.end();
}

// Spans become fewer and longer; the work in them stays.
TEST(Timeline, JoinsNeighboursWhenThereAreMany) {
  Timeline timeline;
  constexpr std::size_t kSpans = 20 * Timeline::kMostSpans;
  double at = 0;
  for (std::size_t i = 0; i < kSpans; ++i) {
    timeline.add(i % 2 == 0 ? JobStage::kParse : JobStage::kSort, at, at + 1e-3);
    at += 2e-3;
    if (i % 997 != 0) continue;
    ASSERT_LE(span_count(timeline.lanes()), Timeline::kMostSpans);
  }
  const auto lanes = timeline.lanes();
  EXPECT_EQ(lanes.size(), 2u);
  EXPECT_GT(span_count(lanes), Timeline::kMostSpans / 5) << "the picture is still fine";
  EXPECT_NEAR(busy_seconds(lanes), 1e-3 * kSpans, 1e-6 * kSpans);
  EXPECT_DOUBLE_EQ(lanes[0].spans.front().begin, 0);
  EXPECT_NEAR(lanes[1].spans.back().end, at - 1e-3, 1e-6);
  for (const auto& lane : lanes) {
    for (std::size_t i = 1; i < lane.spans.size(); ++i) ASSERT_LE(lane.spans[i - 1].end, lane.spans[i].begin);
  }
}

TEST(Timeline, TakesSpansOfManyThreads) {
  Timeline timeline;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&timeline] {
        for (int k = 0; k < 2000; ++k) const StageSpan span(&timeline, JobStage::kEncode);
      });
    }
  }
  const auto lanes = timeline.lanes();
  EXPECT_GE(lanes.size(), 1u);
  EXPECT_LE(lanes.size(), 4u);
  EXPECT_LE(span_count(lanes), Timeline::kMostSpans);
}

TEST(JobStageName, IsOneOfTheTableOfStages) {
  EXPECT_STREQ(job_stage_name(JobStage::kRevisits), "revisits");
  EXPECT_STREQ(job_stage_name(JobStage::kSpill), "spill");
  EXPECT_STREQ(job_stage_name(JobStage::kWrite), "write");
}

}  // namespace
}  // namespace spillway
