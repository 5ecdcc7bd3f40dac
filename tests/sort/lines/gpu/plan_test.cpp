#include "sort/lines/gpu/plan.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "io/base/error.hpp"

namespace spillway {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;

GpuStatus two_gpus() {
  GpuStatus status;
  status.state = GpuState::kUsable;
  for (const int id : {0, 1}) {
    GpuInfo gpu;
    gpu.id = id;
    gpu.major = 9;
    gpu.memory_bytes = 80 * kGiB;
    status.gpus.push_back(gpu);
  }
  return status;
}

GpuStatus no_gpu() {
  GpuStatus status;
  status.state = GpuState::kNoDriver;
  status.detail = "no driver";
  return status;
}

LineSortShape shape() { return {false, true, 8 * kGiB, 4 * kGiB, 16}; }

LineGpuPlan plan(const LineGpuRequest& request, const LineSortShape& what, GpuStatus (*find)() = two_gpus) {
  return plan_line_gpu(request, what, {}, find);
}

TEST(LineGpuPlan, TakesTheGpuForMuchText) {
  const LineGpuPlan large = plan({}, shape());
  EXPECT_EQ(large.sorting, LineSorting::kDevice);
  ASSERT_EQ(large.devices.size(), 1u);
  EXPECT_EQ(large.devices[0].gpu, 0);
  EXPECT_EQ(large.sorter, "gpu-string-radix");
  EXPECT_LT(large.host_bytes, kGiB);
  LineSortShape little = shape();
  little.input_bytes = 100 << 20;
  EXPECT_EQ(plan({}, little).sorting, LineSorting::kCpu);
  EXPECT_EQ(plan({true, {1}}, little).sorting, LineSorting::kDevice);
  EXPECT_EQ(plan({true, {1}}, little).devices.at(0).gpu, 1);
}

TEST(LineGpuPlan, SharesWhatOneGpuDoesNotHold) {
  LineSortShape large = shape();
  large.input_bytes = 100 * kGiB;
  const LineGpuPlan both = plan({}, large);
  ASSERT_EQ(both.devices.size(), 2u);
  EXPECT_EQ(both.devices[1].gpu, 1);
  EXPECT_EQ(both.devices[1].memory_bytes, 0u);
  EXPECT_GT(both.host_bytes, plan({}, shape()).host_bytes);
  LineSortShape tight = large;
  tight.memory_bytes = kGiB / 2;
  EXPECT_LT(plan({}, tight).host_bytes, tight.memory_bytes);
  EXPECT_EQ(plan({}, tight).devices.at(1).gpu, 0);
  const LineGpuPlan halves = plan({true, {1}}, large);
  ASSERT_EQ(halves.devices.size(), 2u);
  EXPECT_EQ(halves.devices[0].gpu, 1);
  EXPECT_EQ(halves.devices[1].gpu, 1);
  EXPECT_EQ(halves.devices[1].memory_bytes, 32 * kGiB);
  EXPECT_EQ(halves.block_bytes, both.block_bytes / 2);
  const LineGpuPlan limited = plan({true, {0}, "auto", 4 * kGiB}, shape());
  ASSERT_EQ(limited.devices.size(), 2u);
  EXPECT_EQ(limited.devices[0].memory_bytes, 2 * kGiB);
}

TEST(LineGpuPlan, MergesNoRunsIfTheHostHoldsTheText) {
  LineSortShape large = shape();
  large.input_bytes = 100 * kGiB;
  large.memory_bytes = 200 * kGiB;
  EXPECT_EQ(plan({}, large).sorting, LineSorting::kCpu);
  EXPECT_EQ(plan({true, {0}}, large).sorting, LineSorting::kDevice);
}

TEST(LineGpuPlan, AsksForNoGpuWhereNoneIsOfUse) {
  const auto never = []() -> GpuStatus { throw std::logic_error("not needed"); };
  LineSortShape keys = shape(), stream = shape(), tight = shape();
  keys.has_keys = true;
  stream.has_whole_input = false;
  tight.memory_bytes = kGiB / 4;
  for (const LineSortShape& what : {keys, stream, tight}) {
    EXPECT_EQ(plan({}, what, never).sorting, LineSorting::kCpu);
    EXPECT_NE(plan({}, what, never).reason, "");
  }
  EXPECT_EQ(plan({false, {}}, shape(), never).sorting, LineSorting::kCpu);
  EXPECT_EQ(plan({true, {}, "cpu-msd"}, shape(), never).sorting, LineSorting::kCpu);
}

TEST(LineGpuPlan, LeavesTextInHostMemoryWhereItMust) {
  LineSortShape keys = shape();
  keys.has_keys = true;
  EXPECT_EQ(plan({true, {}, "gpu-string-merge"}, keys).sorting, LineSorting::kString);
  EXPECT_EQ(plan({true, {}, "gpu-string-merge"}, shape()).sorting, LineSorting::kDevice);
  EXPECT_EQ(plan({true, {}, "hybrid-msd"}, shape()).sorting, LineSorting::kString);
}

TEST(LineGpuPlan, SortsTextOfTheHostOnTheFirstOfTheGpusThatWereNamed) {
  const auto gpus_of = [](const LineGpuPlan& plan) {
    std::vector<int> gpus;
    for (const LineGpuPlan::Device& device : plan.devices) gpus.push_back(device.gpu);
    return gpus;
  };
  EXPECT_EQ(gpus_of(plan({true, {1}, "hybrid-msd"}, shape())), std::vector<int>{1});
  EXPECT_EQ(gpus_of(plan({true, {}, "hybrid-msd"}, shape())), std::vector<int>{0});
  LineSortShape keys = shape();
  keys.has_keys = true;
  EXPECT_EQ(gpus_of(plan({true, {1}}, keys)), std::vector<int>{1});
  const LineGpuPlan merge = plan({true, {}, "gpu-string-merge"}, keys);
  EXPECT_EQ(merge.host_bytes, kGiB / 4 + 3 * merge.buffer_bytes) << "one context, and buffers";
}

TEST(LineGpuPlan, RefusesWhatWasNamedAndIsNotThere) {
  EXPECT_EQ(plan({}, shape(), no_gpu).sorting, LineSorting::kCpu);
  EXPECT_THROW(plan({true, {0}}, shape(), no_gpu), UsageError);
  EXPECT_THROW(plan({true, {2}}, shape()), UsageError);
  EXPECT_THROW(plan({true, {}, "gpu-string-radix"}, shape(), no_gpu), UsageError);
  EXPECT_THROW(plan({false, {}, "gpu-string-radix"}, shape()), UsageError);
  LineSortShape tight = shape();
  tight.memory_bytes = kGiB / 4;
  EXPECT_THROW(plan({true, {0}}, tight), UsageError);
}

}  // namespace
}  // namespace spillway
