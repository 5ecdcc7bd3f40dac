// Tests the choice of a job's mode from options, estimated costs and the machine's GPUs; contradictions are refused.
#include "indexer/plan/mode.hpp"

#include <gtest/gtest.h>

#include "sort/gpu/device/error.hpp"

namespace spillway {
namespace {

GpuStatus with_gpus(std::size_t count) {
  GpuStatus status;
  status.state = count == 0 ? GpuState::kNoDriver : GpuState::kUsable;
  status.detail = count == 0 ? "there is no driver" : "there are some";
  for (std::size_t i = 0; i < count; ++i) {
    status.gpus.push_back({static_cast<int>(i), "G", 9, 0, std::size_t{1} << 30, 132, ""});
  }
  return status;
}

IndexOptions asking(IndexMode mode, const char* records = "auto", const char* strings = "auto") {
  IndexOptions options;
  options.mode = mode;
  options.record_sorter = records;
  options.string_sorter = strings;
  return options;
}

// The mode of a job that gains by a GPU.
ModeChoice choose_mode(const IndexOptions& options, const GpuStatus& status) {
  return choose_mode(
      options,
      [] {
        return ModeCosts{3, 2};
      },
      [&] { return status; });
}

TEST(ModePlan, TakesAGpuWhereThereIsOneAndTheJobGains) {
  EXPECT_EQ(choose_mode(asking(IndexMode::kAuto), with_gpus(1)).mode, IndexMode::kGpuPlus);
  const ModeChoice without = choose_mode(asking(IndexMode::kAuto), with_gpus(0));
  EXPECT_EQ(without.mode, IndexMode::kCpuPlus);
  EXPECT_TRUE(without.gpu_failure.empty());
  EXPECT_NE(without.describe().find("there is no driver"), std::string::npos);
}

TEST(ModePlan, LooksForNoGpuWhereTheCpuIsFaster) {
  const ModeChoice choice = choose_mode(
      asking(IndexMode::kAuto),
      [] {
        return ModeCosts{0.26, 0.45};
      },
      []() -> GpuStatus { throw GpuError("asked for a GPU"); });
  EXPECT_EQ(choice.mode, IndexMode::kCpuPlus);
  EXPECT_EQ(choice.describe(), "cpu+ (about 0.26 s with cpu+, 0.45 s with gpu+)");
}

TEST(ModePlan, KeepsTheModeThatWasAskedFor) {
  for (const IndexMode mode : {IndexMode::kCpu, IndexMode::kCpuPlus, IndexMode::kGpu, IndexMode::kGpuPlus}) {
    const ModeChoice choice = choose_mode(asking(mode), with_gpus(2));
    EXPECT_EQ(choice.mode, mode);
    EXPECT_EQ(choice.gpus.size(), sorts_on_gpu(mode) ? 1u : 0u);
  }
}

TEST(ModePlan, SaysWhyNoGpuSortsInAGpuMode) {
  const ModeChoice choice = choose_mode(asking(IndexMode::kGpu), with_gpus(0));
  EXPECT_EQ(choice.mode, IndexMode::kGpu);
  EXPECT_TRUE(choice.gpus.empty());
  EXPECT_EQ(choice.gpu_failure, "there is no driver");
}

TEST(ModePlan, FollowsTheSorterThatWasNamed) {
  EXPECT_EQ(choose_mode(asking(IndexMode::kAuto, "cpu-radix"), with_gpus(1)).mode, IndexMode::kCpuPlus);
  EXPECT_EQ(choose_mode(asking(IndexMode::kAuto, "cpu-chunk"), with_gpus(1)).mode, IndexMode::kCpuPlus);
  EXPECT_EQ(choose_mode(asking(IndexMode::kAuto, "auto", "cpu-msd"), with_gpus(1)).mode, IndexMode::kCpuPlus);
  EXPECT_EQ(choose_mode(asking(IndexMode::kAuto, "gpu-radix"), with_gpus(0)).mode, IndexMode::kGpuPlus);
}

TEST(ModePlan, RefusesSortersOfTheOtherSide) {
  EXPECT_THROW(choose_mode(asking(IndexMode::kCpuPlus, "gpu-radix"), with_gpus(1)), UsageError);
  EXPECT_THROW(choose_mode(asking(IndexMode::kGpu, "cpu-chunk"), with_gpus(1)), UsageError);
  EXPECT_THROW(choose_mode(asking(IndexMode::kGpuPlus, "auto", "cpu-msd"), with_gpus(1)), UsageError);
  EXPECT_THROW(choose_mode(asking(IndexMode::kAuto, "gpu-radix", "cpu-msd"), with_gpus(1)), UsageError);
}

TEST(ModePlan, RefusesGpusForSortingOnTheCpu) {
  for (IndexOptions options : {asking(IndexMode::kCpu), asking(IndexMode::kCpuPlus),
                               asking(IndexMode::kAuto, "cpu-radix"), asking(IndexMode::kAuto, "auto", "cpu-msd")}) {
    EXPECT_NO_THROW(choose_mode(options, with_gpus(1)));
    options.gpu.ids = {0};
    EXPECT_THROW(choose_mode(options, with_gpus(1)), UsageError);
    options.gpu.ids = {};
    options.gpu.chunks = GpuChunks::kTables;
    EXPECT_THROW(choose_mode(options, with_gpus(1)), UsageError);
  }
}

// --gpu-chunks asks for a GPU: if there is none, the plan gives the reason.
TEST(ModePlan, TakesTheFormOfChunksForAWishForAGpu) {
  IndexOptions options = asking(IndexMode::kAuto);
  options.gpu.chunks = GpuChunks::kTokens;
  EXPECT_EQ(choose_mode(options, with_gpus(1)).mode, IndexMode::kGpuPlus);
  EXPECT_EQ(choose_mode(options, with_gpus(0)).mode, IndexMode::kGpuPlus);
  EXPECT_EQ(choose_mode(options, with_gpus(0)).gpu_failure, "there is no driver");
}

TEST(ModePlan, FailsWithoutAGpuThatIsRequired) {
  IndexOptions options = asking(IndexMode::kAuto);
  options.gpu.required = true;
  EXPECT_EQ(choose_mode(options, with_gpus(1)).mode, IndexMode::kGpuPlus);
  try {
    choose_mode(options, with_gpus(0));
    FAIL();
  } catch (const GpuError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNoGpu);
    EXPECT_NE(std::string(error.what()).find("there is no driver"), std::string::npos);
  }
  options.mode = IndexMode::kCpu;
  EXPECT_THROW(choose_mode(options, with_gpus(1)), UsageError);
}

TEST(ModePlan, TakesTheGpusThatWereNamed) {
  IndexOptions options = asking(IndexMode::kAuto);
  options.gpu.ids = {2, 0};
  const ModeChoice choice = choose_mode(options, with_gpus(3));
  ASSERT_EQ(choice.gpus.size(), 2u);
  EXPECT_EQ(choice.gpus[0].id, 2);
  EXPECT_EQ(choice.gpus[1].id, 0);
  EXPECT_THROW(choose_mode(options, with_gpus(2)), UsageError);
  GpuStatus old = with_gpus(3);
  old.gpus[0].major = 6;
  EXPECT_NE(choose_mode(options, old).gpu_failure.find("older"), std::string::npos);
  EXPECT_EQ(choose_mode(asking(IndexMode::kAuto), old).gpus.at(0).id, 1);
}

TEST(ModePlan, AsksForGpusAndCostsOnlyWhereTheyMatter) {
  const auto no_costs = []() -> ModeCosts { throw GpuError("asked for costs"); };
  const auto no_gpus = []() -> GpuStatus { throw GpuError("asked for GPUs"); };
  EXPECT_NO_THROW(choose_mode(asking(IndexMode::kCpu), no_costs, no_gpus));
  EXPECT_NO_THROW(choose_mode(asking(IndexMode::kAuto, "cpu-chunk"), no_costs, no_gpus));
  EXPECT_NO_THROW(choose_mode(asking(IndexMode::kGpu), no_costs, [] { return with_gpus(1); }));
  EXPECT_THROW(choose_mode(asking(IndexMode::kGpu), no_costs, no_gpus), GpuError);
}

}  // namespace
}  // namespace spillway
