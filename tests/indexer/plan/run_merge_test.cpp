#include "indexer/plan/run_merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "indexer/run/store.hpp"
#include "io/base/error.hpp"

namespace spillway {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

RunStats stats(std::size_t run_count, std::uint64_t run_bytes) {
  RunStats runs;
  runs.bytes.assign(run_count, run_bytes);
  runs.cursor_bytes = StoredRun::cursor_bytes(kBlockBytes);
  runs.open_bytes = run_count * StoredRun::open_bytes(run_bytes, kBlockBytes);
  runs.most_open_bytes = StoredRun::open_bytes(run_count * run_bytes, kBlockBytes);
  return runs;
}

MergeResources resources(std::size_t free_bytes) {
  MergeResources result;
  result.budget_bytes = 2 * free_bytes;
  result.free_bytes = free_bytes;
  result.run_block_bytes = kBlockBytes;
  result.max_term_bytes = 255;
  result.descriptors = 900;
  return result;
}

TEST(RunMergePlan, MergesInPassesWhereOpeningAllRunsWouldTakeMoreThanThereIs) {
  const RunStats runs = stats(5000, 10 << 20);
  const std::size_t free_bytes = 30 << 20;
  ASSERT_GT(runs.open_bytes, free_bytes);
  const MergePlan plan = plan_run_merge(runs, resources(free_bytes));
  EXPECT_FALSE(plan.passes.empty());
  EXPECT_LE(plan.fan_in * (runs.cursor_bytes + runs.most_open_bytes), free_bytes);
}

TEST(RunMergePlan, TakesAllAtOnceWhereTheyFitThoughOneOfThemIsLarge) {
  RunStats indexes = stats(100, 1 << 20);
  indexes.open_bytes += 20 << 20;
  indexes.most_open_bytes = 20 << 20;
  EXPECT_TRUE(plan_run_merge(indexes, resources(64 << 20)).passes.empty());
}

TEST(RunMergePlan, CountsTheMemoryOfOpenRunsAndOfPositions) {
  RunStats runs = stats(10, 10 << 20);
  MergeResources some = resources(64 << 20);
  some.threads = 64;
  const unsigned ranges = plan_run_merge(runs, some).last_pass_ranges;
  runs.open_bytes += 32 << 20;
  EXPECT_LT(plan_run_merge(runs, some).last_pass_ranges, ranges);
  runs = stats(10, 10 << 20);
  runs.documents = 10'000'000;
  const unsigned without = plan_run_merge(runs, some).last_pass_ranges;
  some.has_positions = true;
  EXPECT_LT(plan_run_merge(runs, some).last_pass_ranges, without);
}

TEST(RunMergePlan, NamesWhatTwoRunsNeed) {
  try {
    plan_run_merge(stats(2, 10 << 20), resources(1 << 20));
    FAIL();
  } catch (const BudgetError& error) {
    EXPECT_NE(std::string(error.what()).find("merging two runs needs "), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace spillway
