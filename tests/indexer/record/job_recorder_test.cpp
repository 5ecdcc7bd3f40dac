#include "indexer/record/job_recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "io/file/posix_file_system.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

std::uint64_t most(const std::vector<std::uint64_t>& values) { return *std::max_element(values.begin(), values.end()); }

class JobRecorderTest : public ::testing::Test {
 protected:
  JobRecorderTest() { budget_.keep_account(); }

  testing::ScratchDirectory scratch_;
  MemoryBudget budget_{100'000'000};
  TempSpace temp_{posix_file_system(), {}, scratch_.path(), 0};
};

TEST_F(JobRecorderTest, SamplesMemoryAndDisk) {
  JobRecorder recorder;
  {
    const SampledJob sampled(&recorder, budget_, temp_, scratch_.path());
    const Reservation runs = budget_.reserve(5000, "runs"), chunks = budget_.reserve(3000, "chunks");
    testing::write_bytes(scratch_ / "postings", std::string(1234, 'x'));
    temp_.charge(777);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    temp_.refund(777);
  }
  const JobRecord record = recorder.record();
  ASSERT_GE(record.begins.size(), 3u);
  EXPECT_TRUE(std::is_sorted(record.begins.begin(), record.begins.end()));
  EXPECT_GE(record.seconds, 0.06);
  ASSERT_EQ(record.memory.names, (std::vector<std::string>{"runs", "chunks"})) << "the largest first";
  EXPECT_EQ(most(record.memory.values[0]), 5000u);
  EXPECT_EQ(most(record.memory.values[1]), 3000u);
  EXPECT_EQ(record.memory.values[0].size(), record.begins.size());
  EXPECT_GT(most(record.resident_bytes), 1'000'000u);
  ASSERT_EQ(record.disk.names, (std::vector<std::string>{"scratch files", "index"}));
  EXPECT_EQ(most(record.disk.values[0]), 777u);
  EXPECT_EQ(most(record.disk.values[1]), 1234u);
}

TEST_F(JobRecorderTest, KeepsTheSizeOfAnIndexThatMovesToItsPlace) {
  std::filesystem::create_directory(scratch_ / "index");
  testing::write_bytes(scratch_ / "index/postings", std::string(1234, 'x'));
  JobRecorder recorder;
  recorder.start(budget_, temp_, scratch_ / "index");
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  std::filesystem::rename(scratch_ / "index", scratch_ / "published");
  recorder.stop();
  EXPECT_EQ(recorder.record().disk.values[1].back(), 1234u);
}

TEST_F(JobRecorderTest, TellsOfTheGpusOfTheJob) {
  JobRecorder recorder;
  EXPECT_TRUE(recorder.record().gpus.empty());
  GpuInfo gpu;
  gpu.id = 3;
  recorder.note_gpus({gpu});
  const JobRecord record = recorder.record();
  ASSERT_EQ(record.gpus.size(), 1u);
  EXPECT_EQ(record.gpus[0].id, 3);
}

TEST_F(JobRecorderTest, SumsTheSmallConsumers) {
  JobRecorder recorder;
  std::vector<Reservation> held;
  for (std::size_t i = 1; i <= 6; ++i) held.push_back(budget_.reserve(i * 10, "consumer " + std::to_string(i)));
  { const SampledJob sampled(&recorder, budget_, temp_, scratch_.path()); }
  const JobRecord record = recorder.record(2);
  EXPECT_EQ(record.memory.names, (std::vector<std::string>{"consumer 6", "consumer 5", "others"}));
  EXPECT_EQ(most(record.memory.values[2]), 100u);
}

TEST_F(JobRecorderTest, KeepsABoundedNumberOfSamples) {
  JobRecorder recorder(std::chrono::microseconds(100));
  {
    const SampledJob sampled(&recorder, budget_, temp_, scratch_.path());
    const Reservation early = budget_.reserve(5000, "early");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  const JobRecord record = recorder.record();
  EXPECT_LE(record.begins.size(), JobRecorder::kMostSamples);
  EXPECT_GE(record.begins.size(), JobRecorder::kMostSamples / 8);
  EXPECT_EQ(most(record.memory.values[0]), 5000u) << "joined samples keep the larger amount";
}

TEST_F(JobRecorderTest, StopsTwiceAndWithoutAStart) {
  JobRecorder recorder;
  recorder.stop();
  recorder.stop();
  EXPECT_TRUE(recorder.record().begins.empty());
}

TEST(SampledJob, IsNothingWithoutARecorder) {
  testing::ScratchDirectory scratch;
  const MemoryBudget budget(1000);
  const TempSpace temp(posix_file_system(), {}, scratch.path(), 0);
  const SampledJob sampled(nullptr, budget, temp, scratch.path());
}

}  // namespace
}  // namespace spillway
