#include "sort/gpu/merge/sorter.hpp"

#include <cub/device/device_merge_sort.cuh>

#include "sort/gpu/device/cuda_check.cuh"
#include "sort/gpu/interface/key_order.hpp"

namespace spillway {

namespace {

// Both: the bytes of CUB's scratch if `d_temp` is null (CUB's convention), else the sort.
std::size_t merge_keys(void* d_temp, std::size_t bytes, std::uint64_t* d_keys, std::size_t count, BitRange bits,
                       cudaStream_t stream) {
  with_key_order(bits, [&](auto less) {
    cuda_check(cub::DeviceMergeSort::StableSortKeys(d_temp, bytes, d_keys, count, less, stream));
  });
  return bytes;
}

std::size_t merge_pairs(void* d_temp, std::size_t bytes, DeviceRecordSorter::Pairs pairs, std::size_t count,
                        BitRange bits, cudaStream_t stream) {
  const MaskedKeyLess less{bit_mask(bits)};
  cuda_check(cub::DeviceMergeSort::StableSortPairs(d_temp, bytes, pairs.d_keys, pairs.d_values, count, less, stream));
  return bytes;
}

}  // namespace

std::size_t GpuMergeSorter::scratch_bytes(std::size_t count, BitRange bits) const {
  return is_sorted_already(count, bits) ? 0 : merge_keys(nullptr, 0, nullptr, count, bits, nullptr);
}

std::uint64_t* GpuMergeSorter::sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                                    GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return d_keys;
  merge_keys(d_scratch, scratch_bytes(count, bits), d_keys, count, bits, stream);
  return d_keys;
}

std::size_t GpuMergeSorter::pairs_scratch_bytes(std::size_t count, BitRange bits) const {
  return is_sorted_already(count, bits) ? 0 : merge_pairs(nullptr, 0, {}, count, bits, nullptr);
}

DeviceRecordSorter::Pairs GpuMergeSorter::sort_pairs(Pairs pairs, std::size_t count, BitRange bits,
                                                     std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return pairs;
  merge_pairs(d_scratch, pairs_scratch_bytes(count, bits), pairs, count, bits, stream);
  return pairs;
}

}  // namespace spillway
