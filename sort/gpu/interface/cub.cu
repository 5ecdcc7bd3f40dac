#include "sort/gpu/interface/cub.hpp"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/interface/key_order.hpp"

namespace spillway {

namespace {

template <typename T>
cub::DoubleBuffer<T> to_cub(const DoubleBuffer<T>& buffer) {
  cub::DoubleBuffer<T> result(buffer.buffers[0], buffer.buffers[1]);
  result.selector = buffer.selector;
  return result;
}

}  // namespace

void radix_sort_keys(CubScratch& scratch, DoubleBuffer<std::uint64_t>& keys, std::size_t count, BitRange bits,
                     GpuStreamHandle stream) {
  auto cub_keys = to_cub(keys);
  cuda_check(cub::DeviceRadixSort::SortKeys(scratch.d_data, scratch.bytes, cub_keys, count,
                                            static_cast<int>(bits.begin), static_cast<int>(bits.end), stream));
  keys.selector = cub_keys.selector;
}

template <typename Key, typename Count>
void radix_sort_pairs(CubScratch& scratch, PairBuffers<Key>& pairs, Count count, BitRange bits,
                      GpuStreamHandle stream) {
  auto keys = to_cub(pairs.keys);
  auto values = to_cub(pairs.values);
  cuda_check(cub::DeviceRadixSort::SortPairs(scratch.d_data, scratch.bytes, keys, values, count,
                                             static_cast<int>(bits.begin), static_cast<int>(bits.end), stream));
  pairs.keys.selector = keys.selector;
  pairs.values.selector = values.selector;
}
template void radix_sort_pairs(CubScratch&, PairBuffers<std::uint64_t>&, std::size_t, BitRange, GpuStreamHandle);
template void radix_sort_pairs(CubScratch&, PairBuffers<std::uint64_t>&, std::uint32_t, BitRange, GpuStreamHandle);
template void radix_sort_pairs(CubScratch&, PairBuffers<std::uint32_t>&, std::uint32_t, BitRange, GpuStreamHandle);

void merge_sort_keys(CubScratch& scratch, std::uint64_t* d_keys, std::size_t count, BitRange bits,
                     GpuStreamHandle stream) {
  with_key_order(bits, [&](auto less) {
    cuda_check(cub::DeviceMergeSort::StableSortKeys(scratch.d_data, scratch.bytes, d_keys, count, less, stream));
  });
}

void merge_sort_pairs(CubScratch& scratch, KeyValueArrays pairs, std::size_t count, BitRange bits,
                      GpuStreamHandle stream) {
  cuda_check(cub::DeviceMergeSort::StableSortPairs(scratch.d_data, scratch.bytes, pairs.d_keys, pairs.d_values, count,
                                                   MaskedKeyLess{bit_mask(bits)}, stream));
}

void exclusive_sum(CubScratch& scratch, std::uint64_t* d_numbers, std::size_t count, GpuStreamHandle stream) {
  cuda_check(cub::DeviceScan::ExclusiveSum(scratch.d_data, scratch.bytes, d_numbers, count, stream));
}

void exclusive_sum(CubScratch& scratch, std::uint32_t* d_numbers, std::uint32_t count, GpuStreamHandle stream) {
  cuda_check(cub::DeviceScan::ExclusiveSum(scratch.d_data, scratch.bytes, d_numbers, count, stream));
}

}  // namespace spillway
