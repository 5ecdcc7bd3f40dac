// The choice between the fastest GPU sorter and the one that sorts in place.
#include "sort/gpu_plan.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"

namespace spillway {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

GpuSortPlanInput input_of(std::size_t host_block, std::size_t arena) {
  GpuSortPlanInput input;
  input.host_block_bytes = host_block;
  input.arena_bytes = arena;
  input.radix_device_bytes = 4;
  input.bitonic_device_bytes = 2;
  input.records_per_block_byte = 0.125;
  input.total_block_bytes = std::uint64_t{8} << 30;
  return input;
}

TEST(GpuSortPlan, TakesRadixWhereTheBlockFits) {
  const GpuSortPlan plan = choose_gpu_record_sorter("auto", input_of(100 * kMebibyte, 400 * kMebibyte), {});
  EXPECT_EQ(plan.sorter.name, "gpu-radix");
  EXPECT_EQ(plan.block_bytes, 100 * kMebibyte);
  EXPECT_NE(plan.sorter.reason.find("400.0 MiB"), std::string::npos) << plan.sorter.reason;
}

TEST(GpuSortPlan, SortsInPlaceWhereMergingSmallerRunsCostsMore) {
  const GpuSortPlanInput input = input_of(100 * kMebibyte, 64 * kMebibyte);
  GpuSortCosts costs;
  costs.merge_second_per_entry = 1e-6;
  const GpuSortPlan in_place = choose_gpu_record_sorter("auto", input, costs);
  EXPECT_EQ(in_place.sorter.name, "gpu-bitonic");
  EXPECT_EQ(in_place.block_bytes, 32 * kMebibyte);
  costs.merge_second_per_entry = 1e-12;
  const GpuSortPlan fast = choose_gpu_record_sorter("auto", input, costs);
  EXPECT_EQ(fast.sorter.name, "gpu-radix");
  EXPECT_EQ(fast.block_bytes, 16 * kMebibyte);
  for (const GpuSortPlan& plan : {in_place, fast}) {
    EXPECT_NE(plan.sorter.reason.find("16.0 MiB"), std::string::npos) << plan.sorter.reason;
    EXPECT_NE(plan.sorter.reason.find("32.0 MiB"), std::string::npos) << plan.sorter.reason;
  }
}

TEST(GpuSortPlan, KeepsTheSorterThatWasNamed) {
  const GpuSortPlan plan = choose_gpu_record_sorter("gpu-radix", input_of(100 * kMebibyte, 64 * kMebibyte), {});
  EXPECT_EQ(plan.sorter.name, "gpu-radix");
  EXPECT_EQ(plan.block_bytes, 16 * kMebibyte);
  EXPECT_EQ(choose_gpu_string_sorter("gpu-string-thrust").name, "gpu-string-thrust");
  EXPECT_EQ(choose_gpu_string_sorter("auto").name, "gpu-string-radix");
}

TEST(GpuSortPlan, RefusesUnknownNamesListingTheOthers) {
  for (const auto& refused : {+[] { choose_gpu_record_sorter("cpu-radix", input_of(1, 1), {}); },
                              +[] { choose_gpu_string_sorter("cpu-msd"); }}) {
    try {
      refused();
      FAIL();
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("auto, gpu-"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace spillway
