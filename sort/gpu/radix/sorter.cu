#include "sort/gpu/radix/sorter.hpp"

#include <cub/device/device_radix_sort.cuh>

#include "sort/gpu/device/cuda_check.cuh"
#include "sort/gpu/interface/key_order.hpp"

namespace spillway {

namespace {

using Keys = cub::DoubleBuffer<std::uint64_t>;
using Values = cub::DoubleBuffer<std::uint32_t>;

// CUB's own scratch if `bytes` is 0 and `d_temp` null: CUB's convention.
void sort_keys(void* d_temp, std::size_t& bytes, Keys& keys, std::size_t count, BitRange bits, cudaStream_t stream) {
  cuda_check(cub::DeviceRadixSort::SortKeys(d_temp, bytes, keys, count, static_cast<int>(bits.begin),
                                            static_cast<int>(bits.end), stream));
}

void sort_values(void* d_temp, std::size_t& bytes, Keys& keys, Values& values, std::size_t count, BitRange bits,
                 cudaStream_t stream) {
  cuda_check(cub::DeviceRadixSort::SortPairs(d_temp, bytes, keys, values, count, static_cast<int>(bits.begin),
                                             static_cast<int>(bits.end), stream));
}

}  // namespace

std::size_t GpuRadixSorter::scratch_bytes(std::size_t count, BitRange bits) const {
  if (is_sorted_already(count, bits)) return 0;
  Keys keys(nullptr, nullptr);
  std::size_t own = 0;
  sort_keys(nullptr, own, keys, count, bits, nullptr);
  return keys_bytes(count) + device_aligned(own);
}

std::uint64_t* GpuRadixSorter::sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                                    GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return d_keys;
  Keys keys(d_keys, reinterpret_cast<std::uint64_t*>(d_scratch));
  std::size_t own = 0;
  sort_keys(nullptr, own, keys, count, bits, stream);
  sort_keys(d_scratch + keys_bytes(count), own, keys, count, bits, stream);
  return keys.Current();
}

std::size_t GpuRadixSorter::pairs_scratch_bytes(std::size_t count, BitRange bits) const {
  if (is_sorted_already(count, bits)) return 0;
  Keys keys(nullptr, nullptr);
  Values values(nullptr, nullptr);
  std::size_t own = 0;
  sort_values(nullptr, own, keys, values, count, bits, nullptr);
  return pairs_bytes(count) + device_aligned(own);
}

DeviceRecordSorter::Pairs GpuRadixSorter::sort_pairs(Pairs pairs, std::size_t count, BitRange bits,
                                                     std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return pairs;
  DeviceArena scratch(d_scratch, pairs_scratch_bytes(count, bits));
  Keys keys(pairs.d_keys, scratch.take<std::uint64_t>(count));
  Values values(pairs.d_values, scratch.take<std::uint32_t>(count));
  std::size_t own = 0;
  sort_values(nullptr, own, keys, values, count, bits, stream);
  sort_values(scratch.take_bytes(own), own, keys, values, count, bits, stream);
  return {keys.Current(), values.Current()};
}

}  // namespace spillway
