// The contract of all record sorters: order, permutation, stability, bit ranges and scratch.
#include "sort/interface/record_sorter.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sort/gpu/device/status.hpp"
#include "sort/gpu/interface/record_sorter.hpp"
#include "sort/sorters.hpp"
#include "tests/support/gpu_host_forms/host_forms.hpp"
#include "tests/support/sanitizer_sizes.hpp"

namespace spillway {
namespace {

using Keys = std::vector<std::uint64_t>;
using testing::sanitizer_size;
using testing::sanitizer_sizes;
constexpr std::uint8_t kGuard = 0xA7;
constexpr std::size_t kGuardBytes = 256;

std::uint64_t mask_of(BitRange bits) {
  std::uint64_t mask = 0;
  for (unsigned bit = bits.begin; bit < bits.end; ++bit) mask |= std::uint64_t{1} << bit;
  return mask;
}

class RecordSorterContract : public ::testing::TestWithParam<const RecordSorter*> {
 protected:
  void SetUp() override {
    if (!sorter().needs_gpu()) return;
    const GpuStatus status = find_gpus();
    if (status.state != GpuState::kUsable) GTEST_SKIP() << status.detail;
  }
  const RecordSorter& sorter() const { return *GetParam(); }

  // Sorts with exactly the scratch asked for, at an odd address, with guard bytes around it.
  Keys sorted(Keys keys, BitRange bits) const {
    const std::size_t bytes = sorter().scratch_bytes(keys.size(), bits);
    std::vector<std::uint8_t> scratch(bytes + 2 * kGuardBytes + 1, kGuard);
    sorter().sort(keys, bits, std::span(scratch).subspan(kGuardBytes + 1, bytes));
    const auto is_guard = [](std::uint8_t byte) { return byte == kGuard; };
    EXPECT_TRUE(std::all_of(scratch.begin(), scratch.begin() + kGuardBytes + 1, is_guard));
    EXPECT_TRUE(std::all_of(scratch.end() - kGuardBytes, scratch.end(), is_guard));
    return keys;
  }

  void check(const Keys& keys, BitRange bits = {}) const {
    const std::uint64_t mask = mask_of(bits);
    Keys expected = keys;
    std::stable_sort(expected.begin(), expected.end(),
                     [mask](std::uint64_t a, std::uint64_t b) { return (a & mask) < (b & mask); });
    Keys got = sorted(keys, bits);
    if (!sorter().stable()) {
      ASSERT_TRUE(std::is_sorted(got.begin(), got.end(),
                                 [mask](std::uint64_t a, std::uint64_t b) { return (a & mask) < (b & mask); }));
      std::sort(got.begin(), got.end());
      std::sort(expected.begin(), expected.end());
    }
    ASSERT_TRUE(got == expected) << "wrong at "
                                 << std::mismatch(got.begin(), got.end(), expected.begin()).first - got.begin()
                                 << " of " << keys.size() << ", bits " << bits.begin << ".." << bits.end;
  }
};

Keys random_keys(std::size_t count, std::uint64_t seed, std::uint64_t mask = ~std::uint64_t{0}) {
  std::mt19937_64 random(seed);
  Keys keys(count);
  for (std::uint64_t& key : keys) key = random() & mask;
  return keys;
}

TEST_P(RecordSorterContract, SortsEverySize) {
  const auto sizes =
      sanitizer_sizes({0,   1,    2,    3,    31,   32,    33,    63,    64,     65,     255,    256,
                       257, 1023, 1024, 1025, 4097, 65535, 65536, 65537, 131071, 131073, 200001, 300007},
                      {0, 1, 2, 32, 33, 64, 65, 256, 257, 1024, 1025, 2049, 4097, 8192, 8193, 16385, 65537});
  for (const std::size_t size : sizes) check(random_keys(size, size + 1));
}

TEST_P(RecordSorterContract, SortsAboveAMillionKeys) {
  check(random_keys(sanitizer_size(1u << 20, 1u << 17) + 1, 5));
  check(random_keys(sanitizer_size(2u << 20, 1u << 16) + 3, 6, 0xFFFFFFFF));
}

TEST_P(RecordSorterContract, SortsSortedReversedAndEqualKeys) {
  for (const std::size_t size : sanitizer_sizes({100, 5000, 150001}, {100, 9001})) {
    Keys keys = random_keys(size, 9);
    std::sort(keys.begin(), keys.end());
    check(keys);
    std::reverse(keys.begin(), keys.end());
    check(keys);
    check(Keys(size, 42));
    check(Keys(size, 0));
    check(Keys(size, ~std::uint64_t{0}));
  }
}

TEST_P(RecordSorterContract, SortsFewDistinctSkewedAndExtremeKeys) {
  std::mt19937_64 random(11);
  for (const std::size_t size : sanitizer_sizes({77, 70001}, {77, 9001})) {
    Keys few(size), skewed(size), extreme(size);
    const Keys ends{
        0, 1, ~std::uint64_t{0}, ~std::uint64_t{0} - 1, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1};
    for (std::size_t i = 0; i < size; ++i) {
      few[i] = random() % 3 << 40;
      const double uniform = static_cast<double>(random() >> 11) * 0x1p-53 + 1e-9;
      skewed[i] = static_cast<std::uint64_t>(std::pow(uniform, -0.9));  // Zipf-like
      extreme[i] = ends[random() % ends.size()];
    }
    check(few);
    check(skewed);
    check(extreme);
  }
}

TEST_P(RecordSorterContract, SortsByABitRangeAlone) {
  const Keys keys = random_keys(sanitizer_size(70003, 9001), 13);
  const Keys small(keys.begin(), keys.begin() + 40);
  for (const BitRange bits : {BitRange{0, 1}, BitRange{63, 64}, BitRange{5, 29}, BitRange{20, 64}, BitRange{0, 33},
                              BitRange{7, 8}, BitRange{40, 51}, BitRange{53, 64}}) {
    check(keys, bits);
    check(small, bits);
  }
}

TEST_P(RecordSorterContract, KeepsTheMultisetWithAnEmptyBitRange) {
  const Keys keys = random_keys(1000, 17);
  check(keys, {12, 12});
}

TEST_P(RecordSorterContract, SkipsDigitsThatAreConstant) {
  // Live bits at both ends and in the middle only; the rest is one pattern.
  Keys keys = random_keys(sanitizer_size(80000, 9001), 19, 0xF00000000F00000F);
  for (std::uint64_t& key : keys) key |= 0x00A5A5A500A5A5A0 & ~0xF00000000F00000F;
  check(keys);
}

TEST_P(RecordSorterContract, SortsInsideAnyArena) {
  const Keys keys = random_keys(sanitizer_size(400000, 9001), 23, 0xFFFFFFFFFFF);
  for (const int threads : {1, 2, 3, 8}) {
    tbb::task_arena arena(threads);
    arena.execute([&] { check(keys, {0, 44}); });
  }
}

TEST_P(RecordSorterContract, RefusesTooLittleScratch) {
  Keys keys = random_keys(100000, 29);
  const std::size_t bytes = sorter().scratch_bytes(keys.size(), {});
  if (bytes == 0) return;
  std::vector<std::uint8_t> scratch(bytes / 2);
  EXPECT_THROW(sorter().sort(keys, {}, scratch), std::logic_error);
}

std::string test_name(const ::testing::TestParamInfo<const RecordSorter*>& info) {
  std::string name(info.param->name());
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Cpu, RecordSorterContract, ::testing::ValuesIn(record_sorters()), test_name);
INSTANTIATE_TEST_SUITE_P(Gpu, RecordSorterContract, ::testing::ValuesIn(gpu_record_sorters()), test_name);
INSTANTIATE_TEST_SUITE_P(HostForm, RecordSorterContract, ::testing::ValuesIn(gpu_record_sorter_host_forms()),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RecordSorterContract);

TEST(RecordSorters, AreFoundByName) {
  for (const auto* sorters : {&record_sorters(), &gpu_record_sorters()}) {
    for (const RecordSorter* sorter : *sorters) EXPECT_EQ(find_record_sorter(sorter->name()), sorter);
  }
  EXPECT_EQ(record_sorters().size(), 2u);
  EXPECT_EQ(find_record_sorter("cpu-chunk"), nullptr);
  EXPECT_EQ(find_record_sorter(""), nullptr);
}

}  // namespace
}  // namespace spillway
