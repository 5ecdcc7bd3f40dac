#include "sort/gpu/string/thrust_sorter.hpp"

#include <cub/device/device_for.cuh>
#include <cub/device/device_merge_sort.cuh>

#include "sort/gpu/device/cuda_check.cuh"
#include "sort/gpu/string/compare.cuh"

namespace spillway {

namespace {

// What Thrust's stable_sort with a comparator calls, with scratch of our own: Thrust would allocate it.
void sort_indices(void* d_temp, std::size_t& bytes, std::uint32_t* d_order, const DeviceStrings& strings,
                  cudaStream_t stream) {
  cuda_check(
      cub::DeviceMergeSort::StableSortKeys(d_temp, bytes, d_order, strings.count, StringIndexLess{strings}, stream));
}

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

}  // namespace spillway
