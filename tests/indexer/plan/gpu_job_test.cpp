#include "indexer/plan/gpu_job.hpp"

#include <gtest/gtest.h>

namespace spillway {
namespace {

constexpr std::size_t kGibibyte = std::size_t{1} << 30;

TEST(GpuJobPlan, HasAThirdLaneWhereTheMemoryHoldsManyBlocks) {
  const IndexOptions options;
  EXPECT_EQ(GpuJobPlan(options, {0}, 16 * kGibibyte, 16).lanes(), 3U);
  EXPECT_EQ(GpuJobPlan(options, {0}, 16 * kGibibyte - 1, 16).lanes(), 2U);
  EXPECT_EQ(GpuJobPlan(options, {1, 3}, 32 * kGibibyte, 16).lanes(), 6U);
  EXPECT_EQ(GpuJobPlan(options, {1, 3}, 32 * kGibibyte - 1, 16).lanes(), 4U);
}

// One thread merges 11 million postings in the least time that is worth lanes, 0.1 s.
TEST(StayingRule, LetsListsStayWhereTheirMergeIsLong) {
  StayingRule rule{.text_bytes = 700'000'000};  // 100 million occurrences
  EXPECT_TRUE(rule.lets_stay(1, 1));
  EXPECT_TRUE(rule.lets_stay(12, 100));
  EXPECT_FALSE(rule.lets_stay(11, 100));
  rule.threads = 16;
  EXPECT_FALSE(rule.lets_stay(1, 1));
  rule.text_bytes *= 2;
  EXPECT_TRUE(rule.lets_stay(1, 1));
  EXPECT_FALSE(rule.lets_stay(2, 3));
  rule.positions = true;
  EXPECT_TRUE(rule.lets_stay(2, 3));
  rule = {.text_bytes = 1, .merges_always = true};
  EXPECT_TRUE(rule.lets_stay(1, 1000));
  rule.text_bytes = 0;
  EXPECT_FALSE(rule.lets_stay(1, 1000));
}

TEST(StayingRule, IsEmptyWhereTheHostWouldNeedTheLists) {
  constexpr std::uint64_t kText = 40 * kGibibyte;
  IndexOptions options;
  IndexPlan plan;
  plan.run_memory_bytes = 20 * kGibibyte;
  plan.assembler.block_bytes = kGibibyte;
  const auto lists_may_stay = [&] { return staying_rule(options, plan, kText, 16).text_bytes == kText; };
  EXPECT_TRUE(lists_may_stay());
  plan.assembler.block_bytes = kGibibyte / 16;
  EXPECT_FALSE(lists_may_stay()) << "640 blocks";
  plan.assembler.block_bytes = kGibibyte;
  options.content.positions = true;
  EXPECT_FALSE(lists_may_stay()) << "20 GiB of lists, and runs may fill half of 20 GiB";
  plan.run_memory_bytes = 40 * kGibibyte;
  EXPECT_TRUE(lists_may_stay());
  options.gpu.merge = GpuMerge::kNever;
  EXPECT_FALSE(lists_may_stay());
}

}  // namespace
}  // namespace spillway
