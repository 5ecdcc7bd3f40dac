// Packed strings sorted through device memory have the order and LCPs of the CPU, from pageable and from pinned memory,
// in several sorts on one stream and arena.
#include "sort/gpu/host/packed_string_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "sort/gpu/device/first_gpu.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/interface/string_sorter.hpp"
#include "tests/support/sanitizer_sizes.hpp"

namespace spillway {
namespace {

struct Set {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> order, lcps;
  HostStrings packed() const { return {bytes, offsets}; }
};

Set make_set(std::size_t count, std::uint64_t seed) {
  Set set;
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = "shared/" + std::string(random() % 30, static_cast<char>('a' + random() % 3));
    set.bytes.insert(set.bytes.end(), text.begin(), text.end());
    set.offsets.push_back(set.bytes.size());
  }
  std::vector<StringRef> strings;
  for (std::size_t i = 0; i < count; ++i) {
    strings.push_back(
        {set.bytes.data() + set.offsets[i], static_cast<std::uint32_t>(set.offsets[i + 1] - set.offsets[i]), 0});
  }
  set.order.resize(count);
  set.lcps.resize(count);
  const StringSorter& sorter = *find_string_sorter("cpu-multikey");
  std::vector<std::uint8_t> scratch(sorter.scratch_bytes(count));
  sorter.sort(strings, set.order, set.lcps, scratch);
  return set;
}

TEST(PackedStringSort, SortsAsTheCpuDoes) {
  if (find_gpus().state != GpuState::kUsable) GTEST_SKIP() << find_gpus().detail;
  const GpuStream stream(first_usable_gpu());
  stream.make_current();
  for (const std::size_t count : testing::sanitizer_sizes({0, 1, 3000, 50000}, {0, 1, 300, 3000})) {
    const Set set = make_set(count, count + 1);
    for (const DeviceStringSorter* sorter : device_string_sorters()) {
      const std::size_t bytes =
          StringSortSpace::bytes(*sorter, count, set.bytes.size(), StringSortSpace::Lcps::kWanted);
      const DeviceBuffer buffer(stream.gpu(), bytes);
      DeviceArena arena(buffer);
      std::vector<std::uint32_t> order(count, 7), lcps(count, 7);
      const PinnedBuffer pinned(count * sizeof(std::uint32_t));
      const std::span<std::uint32_t> pinned_order = pinned.as<std::uint32_t>(count);
      sort_packed_strings(*sorter, set.packed(), order, lcps, arena, stream);
      sort_packed_strings(*sorter, set.packed(), pinned_order, {}, arena, stream);
      stream.synchronize();
      EXPECT_EQ(arena.used_bytes(), 0u);
      EXPECT_EQ(arena.most_used_bytes(), bytes);
      EXPECT_TRUE(order == set.order) << sorter->name();
      EXPECT_TRUE(lcps == set.lcps) << sorter->name();
      EXPECT_TRUE(std::equal(pinned_order.begin(), pinned_order.end(), set.order.begin())) << sorter->name();
    }
  }
}

}  // namespace
}  // namespace spillway
