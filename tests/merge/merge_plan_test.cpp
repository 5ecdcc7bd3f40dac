#include "merge/merge_plan.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "io/base/error.hpp"

namespace spillway {
namespace {

MergePlanInput input(std::size_t runs, std::size_t fan_in) {
  MergePlanInput result;
  result.run_bytes.assign(runs, 100);
  result.cursor_bytes = 10;
  result.output_bytes = 5;
  result.memory_bytes = 1000000;
  result.open_files = 1000;
  result.max_fan_in = fan_in;
  return result;
}

// Every pass takes all runs of the pass before, and none more than fan_in at a time. Returns runs of the last pass.
std::size_t check(const MergePlan& plan, std::size_t runs) {
  for (const auto& pass : plan.passes) {
    EXPECT_EQ(std::accumulate(pass.begin(), pass.end(), std::size_t{0}), runs);
    for (const std::uint32_t group : pass) {
      EXPECT_GE(group, 1u);
      EXPECT_LE(group, plan.fan_in);
    }
    EXPECT_LT(pass.size(), runs);
    runs = pass.size();
  }
  EXPECT_LE(runs, std::max<std::size_t>(plan.fan_in, 1));
  return runs;
}

TEST(MergePlan, NeedsNoPassWhenTheLastTakesAll) {
  for (const std::size_t runs : {0, 1, 2, 8}) EXPECT_TRUE(plan_merge(input(runs, 8)).passes.empty());
  EXPECT_EQ(plan_merge(input(8, 8)).rewritten_bytes, 0u);
}

TEST(MergePlan, ReducesAnyNumberOfRuns) {
  for (std::size_t runs = 1; runs <= 200; ++runs) {
    for (const std::size_t fan_in : {2, 3, 5, 16, 64}) check(plan_merge(input(runs, fan_in)), runs);
  }
}

TEST(MergePlan, RewritesNoMoreThanItMust) {
  MergePlanInput nine = input(9, 8);
  nine.run_bytes = {100, 100, 100, 7, 8, 100, 100, 100, 100};
  const MergePlan plan = plan_merge(nine);
  ASSERT_EQ(plan.passes.size(), 1u);
  EXPECT_EQ(plan.passes[0], (std::vector<std::uint32_t>{1, 1, 1, 2, 1, 1, 1, 1}));
  EXPECT_EQ(plan.rewritten_bytes, 15u);
}

TEST(MergePlan, KeepsToMemoryAndDescriptors) {
  MergePlanInput tight = input(100, 0);
  tight.memory_bytes = 10 * 12 + 5;
  EXPECT_EQ(plan_merge(tight).fan_in, 12u);
  EXPECT_EQ(plan_merge(tight).last_pass_ranges, 1u);
  tight.memory_bytes = 1000000;
  tight.open_files = 20;
  EXPECT_EQ(plan_merge(tight).fan_in, 19u);
  tight.threads = 8;
  EXPECT_EQ(plan_merge(tight).parallel_groups, 1u);
  EXPECT_EQ(plan_merge(tight).last_pass_ranges, 8u);
  tight.open_files = 1000;
  tight.max_fan_in = 10;
  EXPECT_EQ(plan_merge(tight).parallel_groups, 8u);
}

TEST(MergePlan, RefusesWhereTwoRunsDoNotFit) {
  MergePlanInput tight = input(2, 0);
  tight.memory_bytes = 24;
  try {
    plan_merge(tight);
    FAIL();
  } catch (const BudgetError& error) {
    EXPECT_NE(std::string(error.what()).find("25 bytes"), std::string::npos) << error.what();
  }
  tight.memory_bytes = 25;
  EXPECT_EQ(plan_merge(tight).fan_in, 2u);
  tight.open_files = 2;
  EXPECT_THROW(plan_merge(tight), BudgetError);
  tight.run_bytes = {1};
  EXPECT_TRUE(plan_merge(tight).passes.empty());
}

TEST(MergePlan, SaysWhatItDoes) {
  EXPECT_EQ(
      plan_merge(input(9, 8)).describe(),
      "pass 1: 9 runs to 8, at most 2 at a time, 1 merges side by side; last pass: at most 8 runs in 1 term ranges "
      "side by side; 200 bytes rewritten before it");
}

}  // namespace
}  // namespace spillway
