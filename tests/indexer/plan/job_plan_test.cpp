#include "indexer/plan/job.hpp"

#include <gtest/gtest.h>

#include "tests/support/faulty_file_system.hpp"

namespace spillway {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

// A job that was planned for tokens on a GPU, which could then not be started.
TEST(JobPlan, WithoutItsGpuIsThatOfTheCpu) {
  testing::FaultyFileSystem files;
  files.create("/text")->append(std::vector<std::uint8_t>(1000, 'x'));
  IndexOptions options;
  options.inputs = {"/text"};
  options.memory_bytes = 512 * kMebibyte;
  options.threads = 3;
  options.mode = IndexMode::kCpuPlus;
  const JobPlan cpu = plan_job(options, {}, files);
  JobPlan plan = plan_job(options, {}, files);
  plan.mode.mode = IndexMode::kGpuPlus;
  plan.mode.gpus.push_back({0, "G", 9, 0, std::size_t{1} << 30, 132, ""});
  plan.index.form = ChunkForm::kTokens;
  plan.index.list_bytes = plan.index.staging_bytes = plan.index.fallback_bytes = 20 * kMebibyte;
  plan.gpu.emplace().form = ChunkForm::kTokens;
  plan.gpu_chunks.emplace().form = ChunkForm::kTokens;
  plan.gpu_memory = "GPU memory: some";
  plan_without_gpu(options, {}, "the driver went away", plan);
  EXPECT_FALSE(plan.gpu || plan.gpu_chunks);
  EXPECT_TRUE(plan.mode.gpus.empty());
  EXPECT_EQ(plan.mode.gpu_failure, "the driver went away");
  EXPECT_NE(plan.describe().find("the driver went away"), std::string::npos);
  EXPECT_EQ(plan.index.form, ChunkForm::kPostings);
  EXPECT_EQ(plan.sorter->form(), ChunkForm::kPostings);
  EXPECT_EQ(plan.threads.value, 3U);
  EXPECT_EQ(plan.index.staging_bytes + plan.index.list_bytes + plan.index.fallback_bytes, 0U);
  EXPECT_EQ(plan.index.blocks_in_flight, cpu.index.blocks_in_flight);
  EXPECT_GE(plan.index.assembler.block_bytes, cpu.index.assembler.block_bytes * 9 / 10);
}

}  // namespace
}  // namespace spillway
