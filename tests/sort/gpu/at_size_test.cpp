// Sorts of more elements than 32 bits number, and of more than 4 GiB of text, on a GPU. Inputs repeat a period whose
// length is prime, so that the whole result is known and checked, element by element, and an index or an offset that
// loses its upper bits reads another element. Each test says how much memory it needs, and is skipped where there is
// less.
#include <gtest/gtest.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/memory/budget.hpp"
#include "sort/gpu/device/memory.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/registry.hpp"

namespace spillway {
namespace {

constexpr std::size_t kGibibyte = std::size_t{1} << 30;
constexpr std::size_t kNoPlace = ~std::size_t{0};

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ value >> 27) * 0x94D049BB133111EBULL;
  return value ^ value >> 31;
}

// Calls each(i) for all i below `count` in parallel.
template <typename Each>
void for_all(std::size_t count, const Each& each) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, std::size_t{1} << 16),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i < range.end(); ++i) each(i);
                    });
}

class AtSize : public ::testing::Test {
 protected:
  // Empty where the memory suffices.
  std::string missing(std::size_t device_bytes, std::size_t host_bytes) {
    const GpuStatus status = find_gpus();
    if (status.state != GpuState::kUsable) return status.detail;
    gpu_ = first_usable_gpu();
    const std::size_t device_free = free_device_bytes(gpu_), host_free = available_memory_bytes();
    if (device_bytes <= device_free && host_bytes <= host_free) return {};
    return "needs " + in_gibibytes(device_bytes) + " of device memory and " + in_gibibytes(host_bytes) +
           " of host memory, and there are " + in_gibibytes(device_free) + " and " + in_gibibytes(host_free);
  }
  static std::string in_gibibytes(std::size_t bytes) {
    return std::to_string((bytes + kGibibyte - 1) / kGibibyte) + " GiB";
  }

  // Repeats the first `period` bytes until `bytes` are filled.
  static void repeat(std::uint8_t* d_data, std::size_t period, std::size_t bytes, const GpuStream& stream) {
    for (std::size_t filled = period; filled < bytes;) {
      const std::size_t more = std::min(filled, bytes - filled);
      copy_on_device(d_data + filled, d_data, more, stream.handle());
      filled += more;
    }
  }

  // The first place where the `count` elements at `d_data` are not expected(place); kNoPlace if there is none.
  template <typename T, typename Expected>
  static std::size_t first_wrong(const T* d_data, std::size_t count, const GpuStream& stream,
                                 const Expected& expected) {
    const std::size_t piece = kGibibyte / sizeof(T);
    const PinnedBuffer pinned(kGibibyte);
    std::atomic<std::size_t> wrong = kNoPlace;
    for (std::size_t begin = 0; begin < count && wrong == kNoPlace; begin += piece) {
      const std::size_t taken = std::min(piece, count - begin);
      copy_to_host(pinned.data(), d_data + begin, taken * sizeof(T), stream.handle());
      stream.synchronize();
      const T* const found = pinned.as<T>(taken).data();
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, taken, std::size_t{1} << 20),
                        [&](const tbb::blocked_range<std::size_t>& range) {
                          auto next = expected(begin + range.begin());
                          for (std::size_t i = range.begin(); i < range.end(); ++i) {
                            if (found[i] != next()) return wrong.store(begin + i);
                          }
                        });
    }
    return wrong;
  }

  int gpu_ = 0;
};

// Keys that repeat with a period: the low bit of a key says that it is among the first `rest` of its period, which
// occur once more than the others.
class PeriodicKeys {
 public:
  explicit PeriodicKeys(std::size_t count) : count_(count), keys_(kPeriod), starts_(kPeriod + 1) {
    const std::size_t rest = count % kPeriod;
    for_all(kPeriod, [&](std::size_t i) { keys_[i] = (mix(i) & ~std::uint64_t{1}) | (i < rest ? 1 : 0); });
    sorted_ = keys_;
    tbb::parallel_sort(sorted_.begin(), sorted_.end());
    for (std::size_t i = 0; i < kPeriod; ++i) starts_[i + 1] = starts_[i] + count / kPeriod + (sorted_[i] & 1);
  }
  std::size_t count() const { return count_; }
  std::span<const std::uint64_t> period() const { return keys_; }
  // Returns a function that gives the sorted keys from `place` on.
  auto sorted_from(std::size_t place) const {
    auto at = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), place) - starts_.begin()) - 1;
    return [this, at, place]() mutable {
      if (place == starts_[at + 1]) ++at;
      ++place;
      return sorted_[at];
    };
  }
  static constexpr std::size_t kPeriod = 134'217'689;  // a prime below 2^27
  static constexpr std::size_t kHostBytes = 3 * kPeriod * sizeof(std::uint64_t) + 2 * kGibibyte;

 private:
  const std::size_t count_;
  std::vector<std::uint64_t> keys_, sorted_;
  std::vector<std::size_t> starts_;  // places of the sorted keys of a period, and the end
};

class GpuKeysAtSize : public AtSize, public ::testing::WithParamInterface<std::string_view> {};

TEST_P(GpuKeysAtSize, SortMoreThan2To32) {
  constexpr std::size_t kKeys = (std::size_t{1} << 32) + 1;
  const DeviceRecordSorter* const sorter = find_device_record_sorter(GetParam());
  if (sorter == nullptr) GTEST_SKIP() << find_gpus().detail;
  if (const std::string why = missing(keys_bytes(kKeys), PeriodicKeys::kHostBytes); !why.empty()) GTEST_SKIP() << why;
  const std::size_t scratch_bytes = sorter->scratch_bytes(kKeys, {0, 64});
  const std::string why = missing(keys_bytes(kKeys) + scratch_bytes + kGibibyte / 4, PeriodicKeys::kHostBytes);
  if (!why.empty()) GTEST_SKIP() << why;
  static const PeriodicKeys keys(kKeys);
  const GpuStream stream(gpu_);
  const DeviceBuffer d_keys(gpu_, keys_bytes(kKeys)), d_scratch(gpu_, scratch_bytes);
  const std::size_t period_bytes = keys.period().size_bytes();
  copy_to_device(d_keys.data(), keys.period().data(), period_bytes, stream.handle());
  repeat(d_keys.data(), period_bytes, kKeys * sizeof(std::uint64_t), stream);
  const std::uint64_t* const d_sorted =
      sorter->sort(reinterpret_cast<std::uint64_t*>(d_keys.data()), kKeys, {0, 64}, d_scratch.data(), stream.handle());
  EXPECT_EQ(first_wrong(d_sorted, kKeys, stream, [](std::size_t place) { return keys.sorted_from(place); }), kNoPlace);
}

std::vector<std::string_view> record_sorter_names() {
  std::vector<std::string_view> names;
  for (const GpuSorterName& sorter : gpu_record_sorter_names()) names.push_back(sorter.name);
  return names;
}

template <typename Tested>
std::string sorter_test_name(const Tested& tested) {
  std::string name(tested.param);
  for (char& c : name) c = c == '-' || c == ':' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Gpu, GpuKeysAtSize, ::testing::ValuesIn(record_sorter_names()),
                         sorter_test_name<::testing::TestParamInfo<std::string_view>>);

// Strings that repeat with a period. Many of a period are equal.
class PeriodicStrings {
 public:
  PeriodicStrings(std::size_t count, std::size_t least_bytes, std::size_t most_bytes)
      : count_(count), offsets_(kPeriod + 1), order_(kPeriod) {
    for (std::size_t i = 0; i < kPeriod; ++i) {
      offsets_[i + 1] = offsets_[i] + least_bytes + mix(i) % (most_bytes - least_bytes + 1);
    }
    text_.resize(offsets_.back());
    for_all(kPeriod, [&](std::size_t i) { write(i); });
    for_all(kPeriod, [&](std::size_t i) { order_[i] = static_cast<std::uint32_t>(i); });
    tbb::parallel_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int order = string(a).compare(string(b));
      return order != 0 ? order < 0 : a < b;
    });
    find_groups();
  }
  std::size_t count() const { return count_; }
  std::span<const std::uint8_t> period() const { return text_; }
  std::uint64_t offset(std::size_t i) const { return i / kPeriod * text_.size() + offsets_[i % kPeriod]; }

  // Returns a function that gives the order of the strings from `place` on: equal strings in index order.
  auto order_from(std::size_t place) const {
    auto at = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), place) - starts_.begin()) - 1;
    return [this, at, place]() mutable {
      if (place == starts_[at + 1]) ++at;
      const std::size_t inside = place++ - starts_[at], first = groups_[at], size = groups_[at + 1] - first;
      return static_cast<std::uint32_t>(inside / size * kPeriod + order_[first + inside % size]);
    };
  }
  static constexpr std::size_t kPeriod = 16'777'213;  // a prime below 2^24
  std::size_t host_bytes() const { return 3 * kGibibyte + 2 * text_.size(); }

 private:
  std::string_view string(std::size_t i) const {
    return {reinterpret_cast<const char*>(text_.data()) + offsets_[i], offsets_[i + 1] - offsets_[i]};
  }
  void write(std::size_t i) {
    std::uint64_t random = mix(i % (kPeriod / 3) + 1);  // the starts of three strings are alike
    for (std::uint64_t at = offsets_[i]; at < offsets_[i + 1]; ++at) {
      text_[at] = static_cast<std::uint8_t>(random >> 56);
      random = mix(random);
    }
  }
  // The strings of a group are equal. Those below the rest of the last period, which come first, occur once more.
  void find_groups() {
    const std::size_t rest = count_ % kPeriod;
    starts_.push_back(0);
    for (std::size_t i = 0, end = 0; i < kPeriod; i = end) {
      std::size_t more = 0;
      for (end = i; end < kPeriod && string(order_[end]) == string(order_[i]); ++end)
        more += order_[end] < rest ? 1 : 0;
      groups_.push_back(static_cast<std::uint32_t>(i));
      starts_.push_back(starts_.back() + (end - i) * (count_ / kPeriod) + more);
    }
    groups_.push_back(static_cast<std::uint32_t>(kPeriod));
  }

  const std::size_t count_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint8_t> text_;
  std::vector<std::uint32_t> order_, groups_;  // groups: places in order_, and the end
  std::vector<std::size_t> starts_;            // places of the groups among all strings, and the end
};

class GpuStringsAtSize : public AtSize, public ::testing::WithParamInterface<std::string_view> {
 protected:
  void sort(std::size_t count, std::size_t least_bytes, std::size_t most_bytes) {
    const DeviceStringSorter* const sorter = find_device_string_sorter(GetParam());
    if (sorter == nullptr) GTEST_SKIP() << find_gpus().detail;
    const std::size_t mean_text = count / 2 * (least_bytes + most_bytes);
    const std::size_t host_bytes = 8 * kGibibyte;
    if (const std::string why = missing(12 * count + mean_text, host_bytes); !why.empty()) GTEST_SKIP() << why;
    const std::size_t scratch = sorter->scratch_bytes(count, mean_text + mean_text / 64);
    const std::string why = missing(12 * count + mean_text + mean_text / 64 + scratch + kGibibyte / 4, host_bytes);
    if (!why.empty()) GTEST_SKIP() << why;
    sort(*sorter, PeriodicStrings(count, least_bytes, most_bytes));
  }

 private:
  void sort(const DeviceStringSorter& sorter, const PeriodicStrings& strings) {
    const std::size_t count = strings.count(), bytes = strings.offset(count);
    ASSERT_GT(bytes, std::size_t{1} << 32);
    const GpuStream stream(gpu_);
    const DeviceBuffer d_text(gpu_, device_aligned(bytes + 16)), d_offsets(gpu_, (count + 1) * sizeof(std::uint64_t));
    const DeviceBuffer d_order(gpu_, count * sizeof(std::uint32_t));
    const DeviceBuffer d_scratch(gpu_, sorter.scratch_bytes(count, bytes));
    copy_to_device(d_text.data(), strings.period().data(), strings.period().size(), stream.handle());
    repeat(d_text.data(), strings.period().size(), bytes, stream);
    upload_offsets(strings, d_offsets.data(), stream);
    auto* const order = reinterpret_cast<std::uint32_t*>(d_order.data());
    sorter.sort({d_text.data(), reinterpret_cast<const std::uint64_t*>(d_offsets.data()), count, bytes}, order, nullptr,
                d_scratch.data(), stream.handle());
    EXPECT_EQ(first_wrong(order, count, stream, [&](std::size_t place) { return strings.order_from(place); }),
              kNoPlace);
  }

  static void upload_offsets(const PeriodicStrings& strings, std::uint8_t* d_to, const GpuStream& stream) {
    const std::size_t piece = kGibibyte / sizeof(std::uint64_t);
    const PinnedBuffer pinned(kGibibyte);
    for (std::size_t begin = 0; begin <= strings.count(); begin += piece) {
      const std::span<std::uint64_t> offsets = pinned.as<std::uint64_t>(std::min(piece, strings.count() + 1 - begin));
      for_all(offsets.size(), [&](std::size_t i) { offsets[i] = strings.offset(begin + i); });
      copy_to_device(d_to + begin * sizeof(std::uint64_t), offsets.data(), offsets.size_bytes(), stream.handle());
      stream.synchronize();
    }
  }
};

TEST_P(GpuStringsAtSize, Sort2To31) { sort(std::size_t{1} << 31, 1, 4); }
TEST_P(GpuStringsAtSize, SortMoreThan4GibibytesOfText) { sort((std::size_t{1} << 27) + 3, 20, 60); }

INSTANTIATE_TEST_SUITE_P(Gpu, GpuStringsAtSize, ::testing::ValuesIn(gpu_string_sorter_names()),
                         sorter_test_name<::testing::TestParamInfo<std::string_view>>);

}  // namespace
}  // namespace spillway
