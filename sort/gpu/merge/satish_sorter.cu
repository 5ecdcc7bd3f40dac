#include "sort/gpu/merge/satish_sorter.hpp"

#include <utility>

#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/device/launch_shape.cuh"
#include "sort/gpu/interface/key_order.hpp"
#include "sort/gpu/merge/satish_kernels.cuh"

namespace spillway {

namespace {

constexpr unsigned kThreads = 256;  // of kernels with one thread a record

std::uint64_t splitters_of(std::uint64_t count) { return (count + kSatishTile - 1) / kSatishTile; }

// The splitters of one array, before and after their merge, and the places where they cut it. Element 0 belongs to the
// records, element i + 1 to the splitters of element i.
struct SplitterLevel {
  RecordArray<true> numbered, merged;
  TreeSplit* d_splits;
};
using SplitterLevels = std::vector<SplitterLevel>;

std::size_t splitter_bytes(std::uint64_t count) {
  std::size_t bytes = 0;
  while (count > 1) {
    count = splitters_of(count);
    bytes += 2 * device_aligned(count * sizeof(std::uint64_t)) + 2 * device_aligned(count * sizeof(std::uint32_t)) +
             device_aligned(count * sizeof(TreeSplit));
  }
  return bytes;
}

SplitterLevels take_splitter_levels(DeviceArena& scratch, std::uint64_t count) {
  SplitterLevels levels;
  while (count > 1) {
    count = splitters_of(count);
    levels.push_back({{scratch.take<std::uint64_t>(count), scratch.take<std::uint32_t>(count)},
                      {scratch.take<std::uint64_t>(count), scratch.take<std::uint32_t>(count)},
                      scratch.take<TreeSplit>(count)});
  }
  return levels;
}

// Tiles are whole pairs of runs where d_splits is null.
template <bool kHasValue, typename Less>
void merge_tiles(RecordArray<kHasValue> from, RecordArray<kHasValue> to, const TreeLevel& level,
                 const TreeSplit* d_splits, std::uint64_t tiles, Less less, cudaStream_t stream) {
  satish_merge_kernel<<<blocks_for(tiles, kSatishWarps), kSatishThreads, 0, stream>>>(from, to, level, d_splits, tiles,
                                                                                      less);
  check_launch();
}

// Merges one level of the tree: cuts the pairs at their splitters, whose merged order comes from the same function, one
// element of `splitters` deeper.
template <bool kHasValue, typename Less>
void merge_level(RecordArray<kHasValue> from, RecordArray<kHasValue> to, const TreeLevel& level,
                 const SplitterLevels& splitters, std::size_t depth, Less less, cudaStream_t stream) {
  if (level.run_length < kSatishTile) {
    satish_short_merge_kernel<<<blocks_for(level.count, kThreads), kThreads, 0, stream>>>(from, to, level, less);
    return check_launch();
  }
  if (level.run_length == kSatishTile) {
    const std::uint64_t pairs = (level.count + 2 * kSatishTile - 1) / (2 * kSatishTile);
    return merge_tiles(from, to, level, nullptr, pairs, less, stream);
  }
  const SplitterLevel& own = splitters.at(depth);
  const std::uint64_t count = splitters_of(level.count);
  const unsigned blocks = blocks_for(count, kThreads);
  satish_splitters_kernel<<<blocks, kThreads, 0, stream>>>(from, count, own.numbered);
  check_launch();
  merge_level(own.numbered, own.merged, {count, level.run_length / kSatishTile}, splitters, depth + 1, less, stream);
  satish_split_kernel<<<blocks, kThreads, 0, stream>>>(from.keys, level, own.merged.values, count, own.d_splits, less);
  check_launch();
  merge_tiles(from, to, level, own.d_splits, count, less, stream);
}

// Sorts tiles in place, then merges between `records` and `other`. Returns the array with the result.
template <bool kHasValue, typename Less>
RecordArray<kHasValue> sort_records(RecordArray<kHasValue> records, RecordArray<kHasValue> other, std::uint64_t count,
                                    const SplitterLevels& splitters, Less less, cudaStream_t stream) {
  satish_tile_sort_kernel<<<blocks_for(count, kSatishWarps * kSatishTile), kSatishThreads, 0, stream>>>(records, count,
                                                                                                        less);
  check_launch();
  for (std::uint64_t run = kSatishTile; run < count; run *= 2) {
    merge_level(records, other, {count, run}, splitters, 0, less, stream);
    std::swap(records, other);
  }
  return records;
}

}  // namespace

std::size_t GpuSatishMergeSorter::scratch_bytes(std::size_t count, BitRange bits) const {
  return is_sorted_already(count, bits) ? 0 : keys_bytes(count) + splitter_bytes(count);
}

std::uint64_t* GpuSatishMergeSorter::sort(std::uint64_t* d_keys, std::size_t count, BitRange bits,
                                          std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return d_keys;
  DeviceArena scratch(d_scratch, scratch_bytes(count, bits));
  RecordArray<false> sorted{d_keys};
  const RecordArray<false> other{scratch.take<std::uint64_t>(count)};
  const SplitterLevels splitters = take_splitter_levels(scratch, count);
  with_key_order(bits, [&](auto less) { sorted = sort_records<false>(sorted, other, count, splitters, less, stream); });
  return sorted.keys;
}

std::size_t GpuSatishMergeSorter::pairs_scratch_bytes(std::size_t count, BitRange bits) const {
  return is_sorted_already(count, bits) ? 0 : pairs_bytes(count) + splitter_bytes(count);
}

DeviceRecordSorter::Pairs GpuSatishMergeSorter::sort_pairs(Pairs pairs, std::size_t count, BitRange bits,
                                                           std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return pairs;
  DeviceArena scratch(d_scratch, pairs_scratch_bytes(count, bits));
  const RecordArray<true> records{pairs.d_keys, pairs.d_values};
  const RecordArray<true> other{scratch.take<std::uint64_t>(count), scratch.take<std::uint32_t>(count)};
  const RecordArray<true> sorted = sort_records<true>(records, other, count, take_splitter_levels(scratch, count),
                                                      MaskedKeyLess{bit_mask(bits)}, stream);
  return {sorted.keys, sorted.values};
}

}  // namespace spillway
