#include "sort/gpu/string/order.hpp"

#include "io/base/error.hpp"
#include "sort/gpu/device/launch_shape.cuh"
#include "sort/gpu/string/words.hpp"

namespace spillway {

namespace {

constexpr unsigned kThreads = 256, kItems = 2;  // items of a thread; as in cub::DeviceFor::Bulk

template <typename Use>
__device__ void for_each_item(std::size_t count, Use use) {
  const std::size_t first = std::size_t{blockIdx.x} * (kItems * kThreads) + threadIdx.x;
#pragma unroll
  for (unsigned item = 0; item < kItems; ++item) {
    const std::size_t i = first + item * kThreads;
    if (i < count) use(i);
  }
}

__global__ __launch_bounds__(kThreads) void fill_identity_kernel(std::uint32_t* d_order, std::size_t count) {
  for_each_item(count, [=](std::size_t i) { d_order[i] = static_cast<std::uint32_t>(i); });
}

__global__ __launch_bounds__(kThreads) void compute_lcps_kernel(DeviceStrings strings, const std::uint32_t* d_order,
                                                                std::uint32_t* d_lcps) {
  for_each_item(strings.count, [&](std::size_t i) {
    d_lcps[i] = i == 0 ? 0 : shared_prefix(string_at(strings, d_order[i - 1]), string_at(strings, d_order[i]), 0);
  });
}

// Strings of other lengths differ, and are not read.
__global__ __launch_bounds__(kThreads) void mark_firsts_kernel(DeviceStrings strings, MarkedOrder out) {
  for_each_item(strings.count, [&](std::size_t i) {
    const DeviceString string = string_at(strings, out.d_order[i]);
    const DeviceString before = string_at(strings, out.d_order[i == 0 ? 0 : i - 1]);
    const bool is_equal = i != 0 && string.bytes == before.bytes && shared_prefix(before, string, 0) == string.bytes;
    out.d_firsts[i] = is_equal ? 0 : 1;
  });
}

}  // namespace

void DeviceStringSorter::sort_and_mark(const DeviceStrings& strings, const MarkedOrder& out, std::uint8_t* d_scratch,
                                       GpuStreamHandle stream) const {
  sort(strings, out.d_order, nullptr, d_scratch, stream);
  mark_firsts(strings, out, stream);
}

void check_string_count(std::size_t count) {
  if (count > 0xFFFFFFFF) throw UsageError("a string sorter orders at most 2^32-1 strings at once: split the set");
}

void fill_identity(std::uint32_t* d_order, std::size_t count, GpuStreamHandle stream) {
  if (count == 0) return;
  fill_identity_kernel<<<blocks_for(count, kItems * kThreads), kThreads, 0, stream>>>(d_order, count);
  check_launch();
}

void compute_lcps(const DeviceStrings& strings, const std::uint32_t* d_order, std::uint32_t* d_lcps,
                  GpuStreamHandle stream) {
  if (strings.count == 0) return;
  compute_lcps_kernel<<<blocks_for(strings.count, kItems * kThreads), kThreads, 0, stream>>>(strings, d_order, d_lcps);
  check_launch();
}

void mark_firsts(const DeviceStrings& strings, const MarkedOrder& out, GpuStreamHandle stream) {
  if (strings.count == 0) return;
  mark_firsts_kernel<<<blocks_for(strings.count, kItems * kThreads), kThreads, 0, stream>>>(strings, out);
  check_launch();
}

}  // namespace spillway
