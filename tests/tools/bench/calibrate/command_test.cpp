// `bench calibrate`: measures every cost and leaves no file.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sort/gpu/device/status.hpp"
#include "sort/interface/record_sorter.hpp"
#include "sort/interface/string_sorter.hpp"
#include "sort/sorters.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::run_spillway;
using testing::ScratchDirectory;

TEST(BenchCalibrate, MeasuresEveryCost) {
  const ScratchDirectory scratch;
  const ProgramResult result =
      run_spillway({"bench", "calibrate", "--keys", "20000", "--strings", "2000", "--text", "4M", "--disk", "1M",
                    "--scratch", scratch.path(), "--threads", "2", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  const json report = json::parse(result.out);
  const json& costs = report.at("costs");
  for (const RecordSorter* sorter : record_sorters()) {
    for (const char* bits : {"40_bits", "64_bits"}) {
      EXPECT_GT(costs.at("second_per_record").at(bits).at(std::string(sorter->name())), 0.0) << sorter->name();
    }
  }
  for (const StringSorter* sorter : string_sorters()) {
    for (const char* set : {"words-dup", "url", "pc-filelist"}) {
      EXPECT_GT(costs.at("second_per_string").at(set).at(std::string(sorter->name())), 0.0) << sorter->name();
    }
  }
  for (const char* name : {"disk_write_bytes_per_second", "disk_read_bytes_per_second", "merge_second_per_posting"}) {
    EXPECT_GT(costs.at(name), 0.0) << name;
  }
  EXPECT_GE(costs.at("merge_second_per_entry"), 0.0);
  const json& merge = report.at("measurements").at("merge");
  EXPECT_GT(merge.at("many_runs").at("runs"), merge.at("few_runs").at("runs"));
  EXPECT_EQ(merge.at("many_runs").at("postings"), merge.at("few_runs").at("postings"));
  EXPECT_EQ(merge.at("many_runs").at("merge_seconds").at("rounds").size(), 5u);
  const bool has_gpu = find_gpus().state == GpuState::kUsable;
  for (const char* name : {"radix_second_per_record", "up_bytes_per_second", "down_bytes_per_second"}) {
    EXPECT_EQ(costs.at(name).is_number(), has_gpu) << name;
  }
}

TEST(BenchCalibrate, RefusesBeforeAnyWork) {
  EXPECT_EQ(run_spillway({"bench", "calibrate", "--keys", "0"}).exit_code, 2);
  EXPECT_EQ(run_spillway({"bench", "calibrate", "--scratch", "/nonexistent"}).exit_code, 2);
  if (find_gpus().state != GpuState::kUsable) {
    EXPECT_EQ(run_spillway({"bench", "calibrate", "--require-gpu"}).exit_code, 6);
  }
}

}  // namespace
}  // namespace spillway
