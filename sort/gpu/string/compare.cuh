// What all string sorters on the device share: the comparison of two strings by index, the identity order, and LCPs of
// an order.
#pragma once

#include <cub/device/device_for.cuh>

#include "io/base/error.hpp"
#include "sort/gpu/device/cuda_check.cuh"
#include "sort/gpu/string/words.hpp"

namespace spillway {

inline void check_string_count(std::size_t count) {
  if (count > 0xFFFFFFFF) throw UsageError("a string sorter orders at most 2^32-1 strings at once: split the set");
}

struct StringIndexLess {
  DeviceStrings strings;
  __device__ bool operator()(std::uint32_t a_index, std::uint32_t b_index) const {
    const DeviceString a = string_at(strings, a_index), b = string_at(strings, b_index);
    const std::uint32_t shared = shared_prefix(a, b, 0);
    if (shared == a.bytes || shared == b.bytes) return a.bytes < b.bytes;
    return a.data[shared] < b.data[shared];
  }
};

inline void fill_identity(std::uint32_t* d_order, std::size_t count, GpuStreamHandle stream) {
  cuda_check(cub::DeviceFor::Bulk(
      count, [d_order] __device__(std::size_t i) { d_order[i] = static_cast<std::uint32_t>(i); }, stream));
}

inline void compute_lcps(const DeviceStrings& strings, const std::uint32_t* d_order, std::uint32_t* d_lcps,
                         GpuStreamHandle stream) {
  cuda_check(cub::DeviceFor::Bulk(
      strings.count,
      [strings, d_order, d_lcps] __device__(std::size_t i) {
        d_lcps[i] = i == 0 ? 0 : shared_prefix(string_at(strings, d_order[i - 1]), string_at(strings, d_order[i]), 0);
      },
      stream));
}

}  // namespace spillway
