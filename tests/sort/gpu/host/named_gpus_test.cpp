// Sorters of strings in host memory that use some of the GPUs.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/sorters.hpp"

namespace spillway {
namespace {

TEST(GpuSorterOfNamedGpus, SortsOnThemAlone) {
  const GpuStatus status = find_gpus();
  if (status.state != GpuState::kUsable) GTEST_SKIP() << status.detail;
  const std::array<std::string_view, 3> texts{"spill", "merge", "index"};
  std::vector<StringRef> strings;
  for (const std::string_view text : texts) {
    strings.push_back({reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<std::uint32_t>(text.size()), 0});
  }
  for (const std::string_view name : {"gpu-string-radix", "gpu-string-merge", "hybrid-msd"}) {
    SCOPED_TRACE(name);
    std::vector<std::uint32_t> order(strings.size());
    const auto sort_on = [&](int gpu) {
      const auto sorter = make_gpu_string_sorter(name, {gpu});
      std::vector<std::uint8_t> scratch(sorter->scratch_bytes(strings.size()));
      sorter->sort(strings, order, {}, scratch);
    };
    sort_on(status.gpus.back().id);
    EXPECT_EQ(order, (std::vector<std::uint32_t>{2, 1, 0}));
    EXPECT_THROW(sort_on(99), GpuError);
  }
}

}  // namespace
}  // namespace spillway
