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

// A second array for merges, and the splits of a merge pass.
template <bool kHasValue>
struct Scratch {
  RecordArray<kHasValue> other;
  Split* d_splits;
};

// One sort, by `less`.
template <bool kHasValue, typename Less>
class DavidsonSort {
 public:
  DavidsonSort(std::uint64_t count, Less less, cudaStream_t stream) : count_(count), less_(less), stream_(stream) {}

  // Sorts tiles in place, then merges between the two arrays. Returns the array with the result.
  RecordArray<kHasValue> run(RecordArray<kHasValue> records, Scratch<kHasValue> scratch) const {
    sort_tiles(records);
    unsigned group_shift = 0;
    for (std::uint64_t run = Shape::kTile; run < count_; run *= kMergedRuns) {
      group_shift += 2;
      merge_runs(records, scratch, MergePass{count_, run, group_shift});
      std::swap(records, scratch.other);
    }
    return records;
  }

 private:
  using Shape = DavidsonShape<kHasValue>;

  void sort_tiles(const RecordArray<kHasValue>& records) const {
    const auto kernel = davidson_tile_sort_kernel<kHasValue, Less>;
    constexpr unsigned kBytes = kDavidsonSortBytes<kHasValue>;
    allow_shared_bytes(kernel, kBytes);
    kernel<<<blocks_for(count_, Shape::kTile), Shape::kThreads, kBytes, stream_>>>(records, count_, less_);
    check_launch();
  }

  void merge_runs(const RecordArray<kHasValue>& from, const Scratch<kHasValue>& scratch, const MergePass& pass) const {
    const std::uint64_t tiles = (count_ + Shape::kTile - 1) / Shape::kTile;
    davidson_split_kernel<<<blocks_for(tiles, kSplitThreads), kSplitThreads, 0, stream_>>>(
        SplitSearch{from.keys, pass, Shape::kShift, tiles, scratch.d_splits}, less_);
    check_launch();
    const auto kernel = davidson_merge_kernel<kHasValue, Less>;
    constexpr unsigned kBytes = BufferPair<kHasValue>::kBytes;
    allow_shared_bytes(kernel, kBytes);
    // About four rounds of blocks, so that few multiprocessors idle in the last, with up to kMaxBlockTiles tiles each.
    const std::uint64_t rounds = tiles / (4 * resident_blocks(kernel, Shape::kThreads, kBytes));
    const unsigned share = static_cast<unsigned>(std::clamp<std::uint64_t>(rounds, 1, kMaxBlockTiles));
    const TileMerge<kHasValue> merge{from, scratch.other, pass, scratch.d_splits, tiles, share};
    kernel<<<blocks_for(tiles, share), Shape::kThreads, kBytes, stream_>>>(merge, less_);
    check_launch();
  }

  std::uint64_t count_;
  Less less_;
  cudaStream_t stream_;
};

}  // namespace

std::size_t GpuDavidsonSorter::scratch_bytes(std::size_t count, BitRange bits) const {
  return is_sorted_already(count, bits) ? 0 : scratch_of<false>(count);
}

std::uint64_t* GpuDavidsonSorter::sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                                       GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return d_keys;
  DeviceArena arena(d_scratch, scratch_bytes(count, bits));
  const RecordArray<false> other{arena.take<std::uint64_t>(count)};
  const Scratch<false> scratch{other, reinterpret_cast<Split*>(arena.take_bytes(arena.free_bytes()))};
  RecordArray<false> sorted{d_keys};
  with_key_order(
      bits, [&](auto less) { sorted = DavidsonSort<false, decltype(less)>(count, less, stream).run(sorted, scratch); });
  return sorted.keys;
}

std::size_t GpuDavidsonSorter::pairs_scratch_bytes(std::size_t count, BitRange bits) const {
  return is_sorted_already(count, bits) ? 0 : scratch_of<true>(count);
}

DeviceRecordSorter::Pairs GpuDavidsonSorter::sort_pairs(Pairs pairs, std::size_t count, BitRange bits,
                                                        std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return pairs;
  DeviceArena arena(d_scratch, pairs_scratch_bytes(count, bits));
  const RecordArray<true> other{arena.take<std::uint64_t>(count), arena.take<std::uint32_t>(count)};
  const Scratch<true> scratch{other, reinterpret_cast<Split*>(arena.take_bytes(arena.free_bytes()))};
  const DavidsonSort<true, MaskedKeyLess> sort(count, MaskedKeyLess{bit_mask(bits)}, stream);
  const RecordArray<true> sorted = sort.run({pairs.d_keys, pairs.d_values}, scratch);
  return {sorted.keys, sorted.values};
}

}  // namespace spillway
