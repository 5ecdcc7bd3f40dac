#include "indexer/plan/gpu_job.hpp"

#include <gtest/gtest.h>

namespace spillway {
namespace {

constexpr std::size_t kGibibyte = std::size_t{1} << 30;

TEST(GpuJobPlan, HasAThirdLaneWhereTheMemoryHoldsManyBlocks) {
  const IndexOptions options;
  EXPECT_EQ(GpuJobPlan(options, 16 * kGibibyte, 16).lanes(), 3U);
  EXPECT_EQ(GpuJobPlan(options, 16 * kGibibyte - 1, 16).lanes(), 2U);
}

}  // namespace
}  // namespace spillway
