#include "sort/gpu/interface/cub.hpp"
#include "sort/gpu/interface/key_order.hpp"
#include "sort/gpu/merge/sorter.hpp"

namespace spillway {

std::size_t GpuMergeSorter::scratch_bytes(std::size_t count, BitRange bits) const {
  CubScratch scratch;
  if (!is_sorted_already(count, bits)) merge_sort_keys(scratch, nullptr, count, bits, nullptr);
  return scratch.bytes;
}

std::uint64_t* GpuMergeSorter::sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                                    GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return d_keys;
  CubScratch scratch{d_scratch, scratch_bytes(count, bits)};
  merge_sort_keys(scratch, d_keys, count, bits, stream);
  return d_keys;
}

std::size_t GpuMergeSorter::pairs_scratch_bytes(std::size_t count, BitRange bits) const {
  CubScratch scratch;
  if (!is_sorted_already(count, bits)) merge_sort_pairs(scratch, {}, count, bits, nullptr);
  return scratch.bytes;
}

DeviceRecordSorter::Pairs GpuMergeSorter::sort_pairs(Pairs pairs, std::size_t count, BitRange bits,
                                                     std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return pairs;
  CubScratch scratch{d_scratch, pairs_scratch_bytes(count, bits)};
  merge_sort_pairs(scratch, {pairs.d_keys, pairs.d_values}, count, bits, stream);
  return pairs;
}

}  // namespace spillway
