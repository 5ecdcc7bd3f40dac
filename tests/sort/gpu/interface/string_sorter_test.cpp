// String sorters on strings in device memory: with exactly the memory that they ask for, with and without LCPs, in
// dirty scratch, and on several streams at once. tests/sort/interface/string_sorter_test.cpp covers unusual strings.
#include "sort/gpu/interface/string_sorter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "io/base/error.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/registry.hpp"
#include "tests/support/sanitizer_sizes.hpp"

namespace spillway {
namespace {

constexpr std::uint8_t kPoison = 0xEE;
constexpr std::size_t kGuardBytes = 256;

// Device memory with a guard on both sides, filled with kPoison.
class GuardedBuffer {
 public:
  GuardedBuffer(std::size_t bytes, const GpuStream& stream)
      : bytes_(bytes), buffer_(stream.gpu(), kGuardBytes + device_aligned(bytes) + kGuardBytes) {
    const std::vector<std::uint8_t> poison(buffer_.size(), kPoison);
    copy_to_device(buffer_.data(), poison.data(), poison.size(), stream.handle());
    stream.synchronize();
  }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(buffer_.data() + kGuardBytes);
  }
  std::vector<std::uint8_t> read(const GpuStream& stream) const {
    std::vector<std::uint8_t> all(buffer_.size());
    copy_to_host(all.data(), buffer_.data(), all.size(), stream.handle());
    stream.synchronize();
    return all;
  }
  // Returns the values inside, and checks that the guards are untouched.
  template <typename T>
  std::vector<T> read_values(const GpuStream& stream) const {
    const std::vector<std::uint8_t> all = read(stream);
    const auto is_poison = [](std::uint8_t byte) { return byte == kPoison; };
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(kGuardBytes + bytes_);
    EXPECT_TRUE(std::all_of(all.begin(), all.begin() + kGuardBytes, is_poison));
    EXPECT_TRUE(std::all_of(end, all.end(), is_poison));
    std::vector<T> values(bytes_ / sizeof(T));
    std::copy(all.begin() + kGuardBytes, end, reinterpret_cast<std::uint8_t*>(values.data()));
    return values;
  }

 private:
  std::size_t bytes_;
  DeviceBuffer buffer_;
};

struct Strings {
  std::string bytes;
  std::vector<std::uint64_t> offsets{0};

  void add(std::string_view text) {
    bytes += text;
    offsets.push_back(bytes.size());
  }
  std::size_t count() const { return offsets.size() - 1; }
  std::string_view at(std::uint32_t index) const {
    return std::string_view(bytes).substr(offsets[index], offsets[index + 1] - offsets[index]);
  }
};

Strings random_strings(std::size_t count, std::size_t max_bytes, std::string_view alphabet, std::string_view prefix,
                       std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Strings strings;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text(random() % 4 == 0 ? prefix : std::string_view{});
    for (std::size_t bytes = random() % (max_bytes + 1); bytes > 0; --bytes)
      text += alphabet[random() % alphabet.size()];
    strings.add(text);
  }
  return strings;
}

// A sort on one stream. The memory of the bytes ends where the interface allows the last read.
class OneSort {
 public:
  OneSort(const Strings& strings, const DeviceStringSorter& sorter)
      : strings_(strings),
        sorter_(sorter),
        stream_(first_usable_gpu()),
        d_bytes_(stream_.gpu(), std::max<std::size_t>((strings.bytes.size() + 15) / 16 * 16, 16)),
        d_offsets_(stream_.gpu(), strings.offsets.size() * sizeof(std::uint64_t)),
        d_scratch_(sorter.scratch_bytes(strings.count(), strings.bytes.size()), stream_) {
    const std::string padded = strings.bytes + std::string(d_bytes_.size() - strings.bytes.size(), '\xEE');
    copy_to_device(d_bytes_.data(), padded.data(), padded.size(), stream_.handle());
    copy_to_device(d_offsets_.data(), strings.offsets.data(), d_offsets_.size(), stream_.handle());
    stream_.synchronize();
  }

  // Also checks the order. The times of steps are those of the sorter.
  SortSteps check_in_steps() const {
    const GuardedBuffer d_order(strings_.count() * 4, stream_);
    stream_.make_current();
    const SortSteps times = sorter_.sort_in_steps(device_strings(), d_order.as<std::uint32_t>(),
                                                  d_scratch_.as<std::uint8_t>(), stream_.handle());
    EXPECT_TRUE(d_order.read_values<std::uint32_t>(stream_) == expected_order());
    d_scratch_.read_values<std::uint8_t>(stream_);
    return times;
  }

  void check(bool with_lcps) const {
    const GuardedBuffer d_order(strings_.count() * 4, stream_), d_lcps(strings_.count() * 4, stream_);
    stream_.make_current();
    sorter_.sort(device_strings(), d_order.as<std::uint32_t>(), with_lcps ? d_lcps.as<std::uint32_t>() : nullptr,
                 d_scratch_.as<std::uint8_t>(), stream_.handle());
    const std::vector<std::uint32_t> order = d_order.read_values<std::uint32_t>(stream_);
    ASSERT_TRUE(order == expected_order());
    if (with_lcps) check_lcps(order, d_lcps.read_values<std::uint32_t>(stream_));
    const std::vector<std::uint8_t> scratch = d_scratch_.read_values<std::uint8_t>(stream_);
    EXPECT_EQ(scratch.size(), sorter_.scratch_bytes(strings_.count(), strings_.bytes.size()));
  }

  void check_marks() const {
    const GuardedBuffer d_order(strings_.count() * 4, stream_), d_firsts(strings_.count(), stream_);
    stream_.make_current();
    sorter_.sort_and_mark(device_strings(), {d_order.as<std::uint32_t>(), d_firsts.as<std::uint8_t>()},
                          d_scratch_.as<std::uint8_t>(), stream_.handle());
    const std::vector<std::uint32_t> order = d_order.read_values<std::uint32_t>(stream_);
    ASSERT_TRUE(order == expected_order());
    const std::vector<std::uint8_t> firsts = d_firsts.read_values<std::uint8_t>(stream_);
    for (std::size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(firsts[i], i == 0 || strings_.at(order[i - 1]) != strings_.at(order[i]) ? 1 : 0) << i;
    }
    d_scratch_.read_values<std::uint8_t>(stream_);
  }

 private:
  DeviceStrings device_strings() const {
    return {d_bytes_.data(), reinterpret_cast<const std::uint64_t*>(d_offsets_.data()), strings_.count(),
            strings_.bytes.size()};
  }
  std::vector<std::uint32_t> expected_order() const {
    std::vector<std::uint32_t> order(strings_.count());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return strings_.at(a) < strings_.at(b); });
    return order;
  }
  void check_lcps(const std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& lcps) const {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::string_view before = i == 0 ? std::string_view{} : strings_.at(order[i - 1]),
                             at = strings_.at(order[i]);
      const auto least = static_cast<std::ptrdiff_t>(std::min(before.size(), at.size()));
      ASSERT_EQ(lcps[i], std::mismatch(at.begin(), at.begin() + least, before.begin()).first - at.begin()) << i;
    }
  }

  const Strings& strings_;
  const DeviceStringSorter& sorter_;
  GpuStream stream_;
  DeviceBuffer d_bytes_, d_offsets_;
  GuardedBuffer d_scratch_;
};

class DeviceStringSorterContract : public ::testing::TestWithParam<const DeviceStringSorter*> {
 protected:
  void SetUp() override {
    const GpuStatus status = find_gpus();
    if (status.state != GpuState::kUsable) GTEST_SKIP() << status.detail;
  }
};

TEST_P(DeviceStringSorterContract, SortsWithAndWithoutLcpsInScratchThatIsDirty) {
  for (const std::size_t count : testing::sanitizer_sizes({0, 1, 2, 100, 3000, 70000}, {0, 1, 2, 100, 5000})) {
    const Strings strings = random_strings(count, 12, "abcd", "a long prefix of quarter of them/", count);
    const OneSort sort(strings, *GetParam());
    sort.check(true);
    sort.check(false);
    sort.check(true);
    sort.check_in_steps();
  }
}

// As many strings as the papers' benchmarks have: no multiple of a run, so the last merges are of runs of unequal
// length.
TEST_P(DeviceStringSorterContract, TimesTheStepsOfThePapersSorts) {
  const std::string_view name = GetParam()->name();
  const Strings strings = random_strings(testing::sanitizer_size(66048, 2600), 9, "etaoin", "usr/share/doc/", 5);
  const SortSteps times = OneSort(strings, *GetParam()).check_in_steps();
  double seconds = 0;
  std::uint64_t ties = 0;
  std::string names;
  for (const SortStep& step : times.steps) {
    EXPECT_GE(step.wall_seconds, 0) << step.name;
    seconds += step.wall_seconds;
    ties += step.ties;
    names += std::string(step.name) + ";";
  }
  EXPECT_EQ(seconds > 0, name.find(":paper") != name.npos) << names;
  EXPECT_EQ(times.rounds > 0, name.starts_with("gpu-string-radix:paper")) << names;
  EXPECT_EQ(ties > 0, name == "gpu-string-merge:paper") << names;
  if (name.starts_with("gpu-string-radix:paper")) {
    EXPECT_EQ(names, "sort;scan and scatter;other kernels;");
  } else if (name == "gpu-string-merge:paper") {
    EXPECT_TRUE(names.starts_with("sort of blocks;merge of runs of 1024;merge of runs of 2048;")) << names;
  } else {
    EXPECT_EQ(names, "");
  }
}

// Strings drawn from few distinct ones of up to max_bytes bytes after a prefix, the first of them most often.
Strings drawn_strings(std::size_t count, std::size_t distinct, std::size_t max_bytes, std::string_view alphabet,
                      std::uint64_t seed) {
  const Strings words = random_strings(distinct, max_bytes, alphabet, alphabet.substr(0, 9), seed);
  std::mt19937_64 random(seed);
  Strings strings;
  for (std::size_t i = 0; i < count; ++i)
    strings.add(words.at(static_cast<std::uint32_t>(random() % (random() % distinct + 1))));
  return strings;
}

TEST_P(DeviceStringSorterContract, MarksTheFirstOfEqualStrings) {
  for (const std::size_t count : testing::sanitizer_sizes({0, 1, 2, 100, 3000, 70000}, {0, 1, 2, 100, 5000})) {
    OneSort(random_strings(count, 3, "abcd", "", count), *GetParam()).check_marks();  // keys hold them completely
    OneSort(random_strings(count, 12, "abcd", "a prefix of a quarter/", count), *GetParam()).check_marks();
    OneSort(random_strings(count, 0, "a", "", count), *GetParam()).check_marks();  // all empty
  }
  std::string letters;
  for (int i = 1; i <= 120; ++i) letters += static_cast<char>(i);
  const std::size_t count = testing::sanitizer_size(80000, 6000);
  // Segments of all sizes, which later rounds split, or which are equal strings.
  for (const std::size_t distinct : {1, 7, 60, 2000}) {
    for (const std::size_t max_bytes : {9, 20, 90}) {
      for (const std::size_t base : {2, 26, 120}) {
        OneSort(drawn_strings(count, distinct, max_bytes, std::string_view(letters).substr(0, base), distinct),
                *GetParam())
            .check_marks();
      }
    }
  }
}

// Prefixes of one text that are `step` bytes apart, each twice, in no order, and a string that differs from all.
Strings nested_strings(std::size_t count, std::size_t step, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < count * step) text += static_cast<char>('a' + random() % 20);
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 2 * count; ++i) lengths.push_back(i / 2 * step);
  std::shuffle(lengths.begin(), lengths.end(), random);
  Strings strings;
  strings.add("an outlier");
  for (const std::size_t bytes : lengths) strings.add(std::string_view(text).substr(0, bytes));
  return strings;
}

// Rounds that find one string each give way to comparisons with pivots, which mark by comparing neighbours: in groups
// of a block and in larger ones, by few bytes and by many.
TEST_P(DeviceStringSorterContract, SortsAndMarksNestedPrefixes) {
  const std::size_t few = testing::sanitizer_size(300, 60), many = testing::sanitizer_size(900, 600);
  for (const auto& [count, step] : {std::pair{few, std::size_t{9}}, {few, 90}, {many, 12}}) {
    const Strings strings = nested_strings(count, step, count);
    OneSort(strings, *GetParam()).check_marks();
    OneSort(strings, *GetParam()).check(true);
  }
}

TEST_P(DeviceStringSorterContract, SortsAndMarksBehindLongPrefixes) {
  std::mt19937_64 random(6);
  for (const std::size_t count : testing::sanitizer_sizes({3, 200, 1500}, {3, 1100})) {
    Strings strings;
    strings.add("an outlier");
    for (std::size_t i = 0; i < count; ++i) {
      strings.add(std::string(testing::sanitizer_size(5000, 2100), 'p') + std::to_string(random() % (count / 2 + 1)));
    }
    OneSort(strings, *GetParam()).check_marks();
    OneSort(strings, *GetParam()).check(true);
  }
}

// Reads after the last string would leave the memory of the bytes, or find the poison there.
TEST_P(DeviceStringSorterContract, ReadsNoByteBehindTheStrings) {
  const std::size_t most = testing::sanitizer_size(40, 17);
  for (std::size_t bytes = 1; bytes <= most; ++bytes) {
    Strings strings;
    strings.add(std::string(bytes, 'x'));
    strings.add("");
    strings.add(std::string(bytes, 'x'));
    strings.add("");
    OneSort(strings, *GetParam()).check(true);
  }
}

// Sorts each set on a thread and stream of its own.
void sort_at_once(const std::vector<Strings>& sets, const DeviceStringSorter& sorter, int rounds) {
  std::vector<std::thread> threads;
  for (const Strings& set : sets) {
    threads.emplace_back([&set, &sorter, rounds] {
      const OneSort sort(set, sorter);
      for (int round = 0; round < rounds; ++round) sort.check(round % 2 == 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(DeviceStringSorterContract, SortsOnSeveralStreamsAtOnce) {
  std::vector<Strings> sets;
  const std::size_t least = testing::sanitizer_size(20000, 3000);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    sets.push_back(random_strings(least + least / 2 * seed, 9, "etaoin", "usr/share/doc/", seed));
  }
  sort_at_once(sets, *GetParam(), 3);
}

// Sets need different settings of the GPU, such as shared memory for a table, and may not disturb each other.
TEST_P(DeviceStringSorterContract, SortsSetsOfDifferentAlphabetsAtOnce) {
  std::vector<Strings> sets;
  for (const int letters : {20, 80, 100, 120}) {
    std::string alphabet;
    for (int i = 1; i <= letters; ++i) alphabet += static_cast<char>(i);
    sets.push_back(random_strings(15000, 6, alphabet, alphabet.substr(0, 3), 91));
  }
  sort_at_once(sets, *GetParam(), static_cast<int>(testing::sanitizer_size(40, 2)));
}

TEST_P(DeviceStringSorterContract, RefusesMoreStringsThanItCanNumber) {
  const DeviceStrings too_many{nullptr, nullptr, std::size_t{1} << 32, 0};
  const GpuStream stream(first_usable_gpu());
  EXPECT_THROW(GetParam()->sort(too_many, nullptr, nullptr, nullptr, stream.handle()), UsageError);
}

std::string test_name(const ::testing::TestParamInfo<const DeviceStringSorter*>& info) {
  std::string name(info.param->name());
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Gpu, DeviceStringSorterContract, ::testing::ValuesIn(device_string_sorters()), test_name);
INSTANTIATE_TEST_SUITE_P(Variant, DeviceStringSorterContract, ::testing::ValuesIn(device_string_variants()), test_name);
INSTANTIATE_TEST_SUITE_P(Baseline, DeviceStringSorterContract, ::testing::ValuesIn(device_string_baselines()),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DeviceStringSorterContract);

}  // namespace
}  // namespace spillway
