#include "sort/gpu/string/comparison_sorters.hpp"

#include <cub/device/device_for.cuh>
#include <cub/device/device_merge_sort.cuh>

#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/string/order.hpp"
#include "sort/gpu/string/words.hpp"

namespace spillway {

namespace {

struct StringIndexLess {
  DeviceStrings strings;
  __device__ bool operator()(std::uint32_t a_index, std::uint32_t b_index) const {
    const DeviceString a = string_at(strings, a_index), b = string_at(strings, b_index);
    const std::uint32_t shared = shared_prefix(a, b, 0);
    if (shared == a.bytes || shared == b.bytes) return a.bytes < b.bytes;
    return a.data[shared] < b.data[shared];
  }
};

// CUB is called with scratch of ours; Thrust would allocate it.
void sort_indices(void* d_temp, std::size_t& bytes, std::uint32_t* d_order, const DeviceStrings& strings,
                  cudaStream_t stream) {
  cuda_check(
      cub::DeviceMergeSort::StableSortKeys(d_temp, bytes, d_order, strings.count, StringIndexLess{strings}, stream));
}

constexpr std::uint32_t kPrefixBytes = 8;

struct PrefixRecord {
  std::uint64_t prefix;  // big-endian, missing bytes 0
  std::uint64_t offset;
  std::uint32_t bytes;
  std::uint32_t number;
};

struct PrefixRecordLess {
  const std::uint8_t* d_bytes;
  __device__ bool operator()(const PrefixRecord& a, const PrefixRecord& b) const {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    if (a.bytes <= kPrefixBytes || b.bytes <= kPrefixBytes) return a.bytes < b.bytes;
    const DeviceString left{d_bytes + a.offset, a.bytes}, right{d_bytes + b.offset, b.bytes};
    const std::uint32_t shared = shared_prefix(left, right, kPrefixBytes);
    if (shared == a.bytes || shared == b.bytes) return a.bytes < b.bytes;
    return left.data[shared] < right.data[shared];
  }
};

void sort_records(void* d_temp, std::size_t& bytes, PrefixRecord* d_records, const DeviceStrings& strings,
                  cudaStream_t stream) {
  cuda_check(cub::DeviceMergeSort::StableSortKeys(d_temp, bytes, d_records, strings.count,
                                                  PrefixRecordLess{strings.d_bytes}, stream));
}

void make_records(const DeviceStrings& strings, PrefixRecord* d_records, cudaStream_t stream) {
  cuda_check(cub::DeviceFor::Bulk(
      strings.count,
      [strings, d_records] __device__(std::size_t i) {
        const auto number = static_cast<std::uint32_t>(i);
        const DeviceString string = string_at(strings, number);
        const std::uint64_t prefix = load_big_endian(string.data, string.bytes);
        d_records[i] = {prefix, static_cast<std::uint64_t>(string.data - strings.d_bytes), string.bytes, number};
      },
      stream));
}

class PrefixRecordBaseline final : public DeviceStringSorter {
 public:
  std::string_view name() const override { return "prefix-records"; }

  std::size_t scratch_bytes(std::size_t count, std::size_t total_bytes) const override {
    std::size_t own = 0;
    sort_records(nullptr, own, nullptr, {nullptr, nullptr, count, total_bytes}, nullptr);
    return device_aligned(count * sizeof(PrefixRecord)) + device_aligned(own);
  }

  void sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps, std::uint8_t* d_scratch,
            GpuStreamHandle stream) const override {
    check_string_count(strings.count);
    if (strings.count == 0) return;
    DeviceArena scratch(d_scratch, scratch_bytes(strings.count, strings.total_bytes));
    auto* const d_records = scratch.take<PrefixRecord>(strings.count);
    make_records(strings, d_records, stream);
    std::size_t own = 0;
    sort_records(nullptr, own, d_records, strings, stream);
    sort_records(scratch.take_bytes(own), own, d_records, strings, stream);
    cuda_check(cub::DeviceFor::Bulk(
        strings.count, [d_order, d_records] __device__(std::size_t i) { d_order[i] = d_records[i].number; }, stream));
    if (d_lcps != nullptr) compute_lcps(strings, d_order, d_lcps, stream);
  }
};

}  // namespace

std::size_t GpuStringThrustSorter::scratch_bytes(std::size_t count, std::size_t total_bytes) const {
  if (count < 2) return 0;
  std::size_t own = 0;
  sort_indices(nullptr, own, nullptr, {nullptr, nullptr, count, total_bytes}, nullptr);
  return device_aligned(own);
}

void GpuStringThrustSorter::sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps,
                                 std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  check_string_count(strings.count);
  fill_identity(d_order, strings.count, stream);
  if (strings.count > 1) {
    std::size_t own = 0;
    sort_indices(nullptr, own, d_order, strings, stream);
    sort_indices(d_scratch, own, d_order, strings, stream);
  }
  if (d_lcps != nullptr) compute_lcps(strings, d_order, d_lcps, stream);
}

const DeviceStringSorter& prefix_record_baseline() {
  static const PrefixRecordBaseline baseline;
  return baseline;
}

}  // namespace spillway
