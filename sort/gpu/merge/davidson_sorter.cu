#include "sort/gpu/merge/davidson_sorter.hpp"

#include <algorithm>

#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/device/launch_shape.cuh"
#include "sort/gpu/interface/key_order.hpp"
#include "sort/gpu/merge/davidson_kernels.cuh"

namespace spillway {

namespace {

constexpr unsigned kMaxBlockTiles = 16;  // tiles that a block merges

template <bool kHasValue>
std::size_t scratch_of(std::size_t count) {
  const std::size_t tiles = (count + DavidsonShape<kHasValue>::kTile - 1) / DavidsonShape<kHasValue>::kTile;
  return (kHasValue ? pairs_bytes(count) : keys_bytes(count)) + device_aligned(tiles * sizeof(Split));
}

template <bool kHasValue, typename Less>
void sort_tiles(RecordArray<kHasValue> records, std::uint64_t count, Less less, cudaStream_t stream) {
  using Shape = DavidsonShape<kHasValue>;
  const auto kernel = davidson_tile_sort_kernel<kHasValue, Less>;
  constexpr unsigned kBytes = kDavidsonSortBytes<kHasValue>;
  allow_shared_bytes(kernel, kBytes);
  kernel<<<blocks_for(count, Shape::kTile), Shape::kThreads, kBytes, stream>>>(records, count, less);
  check_launch();
}

template <bool kHasValue, typename Less>
void merge_pass(RecordArray<kHasValue> from, RecordArray<kHasValue> to, const MergePass& pass, Split* d_splits,
                Less less, cudaStream_t stream) {
  using Shape = DavidsonShape<kHasValue>;
  const std::uint64_t tiles = (pass.count + Shape::kTile - 1) / Shape::kTile;
  davidson_split_kernel<<<blocks_for(tiles, kSplitThreads), kSplitThreads, 0, stream>>>(from.keys, pass, Shape::kShift,
                                                                                        tiles, less, d_splits);
  check_launch();
  const auto kernel = davidson_merge_kernel<kHasValue, Less>;
  constexpr unsigned kBytes = BufferPair<kHasValue>::kBytes;
  allow_shared_bytes(kernel, kBytes);
  // About four rounds of blocks, so that few multiprocessors idle in the last, with up to kMaxBlockTiles tiles each.
  const std::uint64_t rounds = tiles / (4 * resident_blocks(kernel, Shape::kThreads, kBytes));
  const unsigned share = static_cast<unsigned>(std::clamp<std::uint64_t>(rounds, 1, kMaxBlockTiles));
  kernel<<<blocks_for(tiles, share), Shape::kThreads, kBytes, stream>>>(from, to, pass, d_splits, tiles, share, less);
  check_launch();
}

// Sorts tiles in place, then merges between `records` and `other`. Returns the array with the result.
template <bool kHasValue, typename Less>
RecordArray<kHasValue> sort_records(RecordArray<kHasValue> records, RecordArray<kHasValue> other, std::uint64_t count,
                                    Split* d_splits, Less less, cudaStream_t stream) {
  using Shape = DavidsonShape<kHasValue>;
  sort_tiles(records, count, less, stream);
  unsigned group_shift = 0;
  for (std::uint64_t run = Shape::kTile; run < count; run *= kMergedRuns) {
    group_shift += 2;
    merge_pass(records, other, MergePass{count, run, group_shift}, d_splits, less, stream);
    std::swap(records, other);
  }
  return records;
}

}  // namespace

std::size_t GpuDavidsonSorter::scratch_bytes(std::size_t count, BitRange bits) const {
  return is_sorted_already(count, bits) ? 0 : scratch_of<false>(count);
}

std::uint64_t* GpuDavidsonSorter::sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                                       GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return d_keys;
  DeviceArena scratch(d_scratch, scratch_bytes(count, bits));
  RecordArray<false> sorted{d_keys};
  const RecordArray<false> other{scratch.take<std::uint64_t>(count)};
  auto* const d_splits = reinterpret_cast<Split*>(scratch.take_bytes(scratch.free_bytes()));
  with_key_order(bits, [&](auto less) { sorted = sort_records<false>(sorted, other, count, d_splits, less, stream); });
  return sorted.keys;
}

std::size_t GpuDavidsonSorter::pairs_scratch_bytes(std::size_t count, BitRange bits) const {
  return is_sorted_already(count, bits) ? 0 : scratch_of<true>(count);
}

DeviceRecordSorter::Pairs GpuDavidsonSorter::sort_pairs(Pairs pairs, std::size_t count, BitRange bits,
                                                        std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return pairs;
  DeviceArena scratch(d_scratch, pairs_scratch_bytes(count, bits));
  const RecordArray<true> records{pairs.d_keys, pairs.d_values};
  const RecordArray<true> other{scratch.take<std::uint64_t>(count), scratch.take<std::uint32_t>(count)};
  auto* const d_splits = reinterpret_cast<Split*>(scratch.take_bytes(scratch.free_bytes()));
  const RecordArray<true> sorted =
      sort_records<true>(records, other, count, d_splits, MaskedKeyLess{bit_mask(bits)}, stream);
  return {sorted.keys, sorted.values};
}

}  // namespace spillway
