// Every build knows the GPU sorters by name; a build with CUDA has them all, with the properties that are listed.
#include <gtest/gtest.h>

#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/interface/record_sorter.hpp"
#include "sort/gpu/interface/string_sorter.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/sorters.hpp"

namespace spillway {
namespace {

TEST(GpuNames, AreThoseOfTheSorters) {
  if (find_gpus().state == GpuState::kNotBuilt) GTEST_SKIP() << find_gpus().detail;
  ASSERT_EQ(device_record_sorters().size(), gpu_record_sorter_names().size());
  for (std::size_t i = 0; i < device_record_sorters().size(); ++i) {
    EXPECT_EQ(device_record_sorters()[i]->name(), gpu_record_sorter_names()[i].name);
    EXPECT_EQ(device_record_sorters()[i]->stable(), gpu_record_sorter_names()[i].stable);
  }
  ASSERT_EQ(device_string_sorters().size(), gpu_string_sorter_names().size());
  for (std::size_t i = 0; i < device_string_sorters().size(); ++i) {
    EXPECT_EQ(device_string_sorters()[i]->name(), gpu_string_sorter_names()[i]);
  }
}

TEST(GpuSorters, SayWhyTheyCannotSortWithoutAGpu) {
  const GpuStatus status = find_gpus();
  if (status.state == GpuState::kUsable) GTEST_SKIP() << "there is a GPU";
  EXPECT_FALSE(status.detail.empty());
  std::vector<std::uint64_t> keys{2, 1};
  try {
    gpu_record_sorters().front()->sort(keys, {}, {});
    FAIL();
  } catch (const GpuError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNoGpu);
    EXPECT_NE(std::string(error.what()).find(status.detail), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace spillway
