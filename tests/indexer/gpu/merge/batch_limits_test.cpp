// Tests how much of a job's budget the lanes of a merge take (indexer/gpu/merge/gpu_batches.hpp).
#include <gtest/gtest.h>

#include "indexer/gpu/merge/gpu_batches.hpp"

namespace spillway {
namespace {

TEST(ReserveBatchLanes, LeavesThreeQuartersOfTheMemory) {
  for (const bool has_positions : {false, true}) {
    const std::size_t lane_bytes = gpu_batch_lane_bytes(gpu_batch_limits(has_positions));
    MemoryBudget little(4 * lane_bytes - 4);
    EXPECT_EQ(reserve_batch_lanes(has_positions, 16, little).lanes, 0U);
    EXPECT_EQ(little.free_bytes(), little.total_bytes());

    MemoryBudget some(4 * 5 * lane_bytes);
    {
      const BatchLaneMemory memory = reserve_batch_lanes(has_positions, 16, some);
      EXPECT_EQ(memory.lanes, 5U);
      EXPECT_EQ(memory.of_lanes.bytes(), 5 * lane_bytes);
      EXPECT_GE(some.free_bytes(), some.total_bytes() / 4 * 3 - memory.of_large.bytes());
    }
    EXPECT_EQ(some.free_bytes(), some.total_bytes());

    MemoryBudget much(std::size_t{100} << 30);
    const BatchLaneMemory memory = reserve_batch_lanes(has_positions, 16, much);
    EXPECT_EQ(memory.lanes, 16U);
    EXPECT_NE(memory.of_large.bytes(), 0U);
  }
}

}  // namespace
}  // namespace spillway
