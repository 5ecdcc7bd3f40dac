// The contract of GPU sorters for keys with values: values follow their keys, equal keys keep their order where the
// sorter is stable, and the scratch asked for is enough.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "sort/gpu/device/status.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/interface/scratch.hpp"
#include "tests/support/sanitizer_sizes.hpp"

namespace spillway {
namespace {

using testing::sanitizer_size;

constexpr std::uint8_t kGuard = 0xA7;

struct Table {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> values;
};

Table random_table(std::size_t count, std::uint64_t seed, std::uint64_t mask) {
  std::mt19937_64 random(seed);
  Table table{std::vector<std::uint64_t>(count), std::vector<std::uint32_t>(count)};
  for (std::uint64_t& key : table.keys) key = random() & mask;
  std::iota(table.values.begin(), table.values.end(), 0u);
  return table;
}

class GpuRecordPairs : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    const GpuStatus status = find_gpus();
    if (status.state != GpuState::kUsable) GTEST_SKIP() << status.detail;
  }
  static const DeviceRecordSorter& sorter() { return *find_device_record_sorter(GetParam()); }

  // Sorts with exactly the scratch asked for, and guard bytes after it.
  static Table sorted(const Table& table, BitRange bits) {
    const GpuStream stream(first_usable_gpu());
    const std::size_t count = table.keys.size();
    const std::size_t scratch_bytes = sorter().pairs_scratch_bytes(count, bits);
    const DeviceBuffer d_keys(stream.gpu(), count * sizeof(std::uint64_t));
    const DeviceBuffer d_values(stream.gpu(), count * sizeof(std::uint32_t));
    const DeviceBuffer d_scratch(stream.gpu(), scratch_bytes + kDeviceAlignment);
    std::vector<std::uint8_t> guards(kDeviceAlignment, kGuard);
    copy_to_device(d_keys.data(), table.keys.data(), d_keys.size(), stream.handle());
    copy_to_device(d_values.data(), table.values.data(), d_values.size(), stream.handle());
    copy_to_device(d_scratch.data() + scratch_bytes, guards.data(), guards.size(), stream.handle());
    const DeviceRecordSorter::Pairs d_sorted = sorter().sort_pairs(
        {reinterpret_cast<std::uint64_t*>(d_keys.data()), reinterpret_cast<std::uint32_t*>(d_values.data())}, count,
        bits, d_scratch.data(), stream.handle());
    Table result{std::vector<std::uint64_t>(count), std::vector<std::uint32_t>(count)};
    copy_to_host(result.keys.data(), d_sorted.d_keys, d_keys.size(), stream.handle());
    copy_to_host(result.values.data(), d_sorted.d_values, d_values.size(), stream.handle());
    copy_to_host(guards.data(), d_scratch.data() + scratch_bytes, guards.size(), stream.handle());
    stream.synchronize();
    EXPECT_EQ(std::count(guards.begin(), guards.end(), kGuard), std::ptrdiff_t{kDeviceAlignment});
    return result;
  }

  static void check(const Table& table, BitRange bits = {}) {
    const std::uint64_t mask = bit_mask(bits);
    std::vector<std::uint32_t> order(table.keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return (table.keys[a] & mask) < (table.keys[b] & mask); });
    const Table got = sorted(table, bits);
    for (std::size_t i = 0; i < order.size(); ++i) {
      ASSERT_LT(got.values[i], table.keys.size()) << "at " << i << " of " << order.size();
      ASSERT_EQ(got.keys[i], table.keys[got.values[i]]) << "at " << i << " of " << order.size();
      ASSERT_EQ(got.keys[i] & mask, table.keys[order[i]] & mask) << "at " << i << " of " << order.size();
      if (sorter().stable()) {
        ASSERT_EQ(got.values[i], order[i]) << "at " << i << " of " << order.size();
      }
    }
  }
};

TEST_P(GpuRecordPairs, FollowTheirKeysAtEverySize) {
  const auto sizes =
      testing::sanitizer_sizes({0,    1,    2,    7,    33,    255,   256,   257,   511,    513,    1023,   1025,
                                2047, 2049, 4097, 8191, 16385, 40000, 65537, 70001, 131073, 300007, 1050000},
                               {0, 1, 2, 33, 256, 257, 513, 1025, 2049, 4097, 16385, 40000});
  for (const std::size_t size : sizes) check(random_table(size, size + 3, ~std::uint64_t{0}));
}

TEST_P(GpuRecordPairs, KeepTheOrderOfEqualKeys) {
  for (const std::uint64_t mask : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xF000000000}}) {
    check(random_table(3000, 5, mask));
    check(random_table(sanitizer_size(100003, 9001), 7, mask));
  }
}

TEST_P(GpuRecordPairs, SortByABitRangeAlone) {
  const Table table = random_table(sanitizer_size(66000, 9001), 9, ~std::uint64_t{0});
  for (const BitRange bits : {BitRange{0, 1}, BitRange{63, 64}, BitRange{5, 29}, BitRange{40, 51}, BitRange{9, 9}}) {
    check(table, bits);
  }
}

// The sorters that sort pairs; in a build without CUDA all names, whose tests are skipped with a message.
std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const GpuSorterName& named : gpu_record_sorter_names()) {
    const DeviceRecordSorter* const sorter = find_device_record_sorter(named.name);
    if (sorter == nullptr || sorter->has_pairs()) all.push_back(named.name);
  }
  return all;
}
std::string test_name(const ::testing::TestParamInfo<std::string_view>& info) {
  std::string name(info.param);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Gpu, GpuRecordPairs, ::testing::ValuesIn(names()), test_name);

}  // namespace
}  // namespace spillway
