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

std::size_t splitter_bytes(std::uint64_t count) {
  DeviceArena counting = DeviceArena::for_counting();
  take_splitter_levels(counting, count);
  return counting.used_bytes();
}

// One sort, by `less`.
template <typename Less>
class SatishMergeSort {
 public:
  SatishMergeSort(const SplitterLevels& splitters, Less less, cudaStream_t stream)
      : splitters_(splitters), less_(less), stream_(stream) {}

  // Sorts tiles in place, then merges between `records` and `other`. Returns the array with the result.
  template <bool kHasValue>
  RecordArray<kHasValue> run(RecordArray<kHasValue> records, RecordArray<kHasValue> other, std::uint64_t count) const {
    satish_tile_sort_kernel<<<blocks_for(count, kSatishWarps * kSatishTile), kSatishThreads, 0, stream_>>>(
        records, count, less_);
    check_launch();
    for (std::uint64_t run = kSatishTile; run < count; run *= 2) {
      merge_level(records, other, {count, run}, 0);
      std::swap(records, other);
    }
    return records;
  }

 private:
  // Merges one level of the tree: cuts the pairs at their splitters, whose merged order comes from the same function,
  // one element of `splitters_` deeper.
  template <bool kHasValue>
  void merge_level(RecordArray<kHasValue> from, RecordArray<kHasValue> to, const TreeLevel& level,
                   std::size_t depth) const {
    if (level.run_length < kSatishTile) {
      satish_short_merge_kernel<<<blocks_for(level.count, kThreads), kThreads, 0, stream_>>>(from, to, level, less_);
      return check_launch();
    }
    if (level.run_length == kSatishTile) {
      const std::uint64_t pairs = (level.count + 2 * kSatishTile - 1) / (2 * kSatishTile);
      return merge_tiles<kHasValue>({from, to, level, nullptr, pairs});
    }
    const SplitterLevel& own = splitters_.at(depth);
    const std::uint64_t count = splitters_of(level.count);
    const unsigned blocks = blocks_for(count, kThreads);
    satish_splitters_kernel<<<blocks, kThreads, 0, stream_>>>(from, count, own.numbered);
    check_launch();
    merge_level(own.numbered, own.merged, {count, level.run_length / kSatishTile}, depth + 1);
    satish_split_kernel<<<blocks, kThreads, 0, stream_>>>(SplitterMerge{from.keys, level, own.merged.values, count},
                                                          own.d_splits, less_);
    check_launch();
    merge_tiles<kHasValue>({from, to, level, own.d_splits, count});
  }

  template <bool kHasValue>
  void merge_tiles(const LevelTiles<kHasValue>& tiles) const {
    satish_merge_kernel<<<blocks_for(tiles.count, kSatishWarps), kSatishThreads, 0, stream_>>>(tiles, less_);
    check_launch();
  }

  const SplitterLevels& splitters_;
  Less less_;
  cudaStream_t stream_;
};

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
  with_key_order(bits, [&](auto less) { sorted = SatishMergeSort(splitters, less, stream).run(sorted, other, count); });
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
  const SplitterLevels splitters = take_splitter_levels(scratch, count);
  const SatishMergeSort sort(splitters, MaskedKeyLess{bit_mask(bits)}, stream);
  const RecordArray<true> sorted = sort.run(records, other, count);
  return {sorted.keys, sorted.values};
}

}  // namespace spillway
