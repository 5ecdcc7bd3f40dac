// What one thread does in `gpu-merge:davidson` (Davidson, Tarjan, Garland, Owens 2012, section 3): sort eight records
// in registers, merge inside a tile, find where the tiles of a merge begin in its four runs, merge a tile's four
// windows.
#pragma once

#include "sort/gpu/merge_steps.hpp"

namespace spillway {

// Found on an H200 (docs/sorters.md). The two windows of a tile fit the 64 KiB of shared memory of compute capability
// 7.5. In a merge the threads take an odd number of records, and the last of them fewer or none.
template <bool kHasValue>
struct DavidsonShape {
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kPerThread = kHasValue ? 8 : 16;
  static constexpr unsigned kTile = kThreads * kPerThread;
  static constexpr unsigned kShift = kHasValue ? 11 : 12;  // log2(kTile)
  static constexpr unsigned kMergedPerThread = kPerThread + 1;
  using SortWindow = RecordWindow<kHasValue, 16>;
  using MergeWindow = RecordWindow<kHasValue, 0>;
};
inline constexpr unsigned kSortedInRegisters = 8;
inline constexpr unsigned kMergedRuns = 4;

// Odd-even transposition: a network that exchanges neighbours only, and only those out of order, is stable. Records
// from `count` on stay where they are.
template <bool kHasValue, typename Less>
SPILLWAY_HOST_DEVICE void sort_eight(Record<kHasValue> (&records)[kSortedInRegisters], unsigned count, Less less) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (unsigned round = 0; round < kSortedInRegisters; ++round) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (unsigned i = round % 2; i + 1 < kSortedInRegisters; i += 2) {
      const bool exchange = i + 1 < count && less(records[i + 1].key, records[i].key);
      const Record<kHasValue> low = exchange ? records[i + 1] : records[i];
      records[i + 1] = exchange ? records[i] : records[i + 1];
      records[i] = low;
    }
  }
}

// Sorts the eight records at `first` of a window that holds `count`.
template <bool kHasValue, typename Less>
SPILLWAY_HOST_DEVICE void sort_in_registers(const typename DavidsonShape<kHasValue>::SortWindow& window, unsigned first,
                                            unsigned count, Less less) {
  if (first >= count) return;
  const unsigned present = least(count - first, kSortedInRegisters);
  Record<kHasValue> records[kSortedInRegisters] = {};
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (unsigned i = 0; i < kSortedInRegisters; ++i) {
    if (i < present) records[i] = window.load(first + i);
  }
  sort_eight(records, present, less);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (unsigned i = 0; i < kSortedInRegisters; ++i) {
    if (i < present) window.store(first + i, records[i]);
  }
}

// Records [first, first + kPerThread) of the merge of all neighbouring runs of `run` records in a tile of `count`.
// Requires: first < count. Records from `count` on are anything.
template <bool kHasValue, typename Less>
SPILLWAY_HOST_DEVICE void merge_inside_tile(const typename DavidsonShape<kHasValue>::SortWindow& window, unsigned run,
                                            unsigned first, unsigned count,
                                            Record<kHasValue> (&merged)[DavidsonShape<kHasValue>::kPerThread],
                                            Less less) {
  constexpr unsigned kPerThread = DavidsonShape<kHasValue>::kPerThread;
  const unsigned begin = first & ~(2 * run - 1);
  const unsigned middle = least(begin + run, count);
  const RunPair runs{begin, middle, middle, least(begin + 2 * run, count)};
  merge_share<kHasValue, kPerThread>(window, runs, first - begin, count - 1,
                                     IntoRegisters<kHasValue, kPerThread>{merged}, less);
}

// A merge of every four neighbouring runs of `run_length` records, the last of which may be short or missing. Tile t of
// the output is records [t * kTile, (t + 1) * kTile), and lies inside one group of four.
struct MergePass {
  std::uint64_t count = 0;
  std::uint64_t run_length = 0;
  unsigned group_shift = 0;  // log2 of the tiles of a group
};

// A position in each of the four runs of a group.
struct Split {
  std::uint64_t at[kMergedRuns];
};

inline SPILLWAY_HOST_DEVICE Split group_begin(const MergePass& pass, std::uint64_t tile) {
  const std::uint64_t group = tile >> pass.group_shift;
  Split split;
  for (unsigned i = 0; i < kMergedRuns; ++i) {
    split.at[i] = least((group * kMergedRuns + i) * pass.run_length, pass.count);
  }
  return split;
}

inline SPILLWAY_HOST_DEVICE Split group_end(const MergePass& pass, std::uint64_t tile) {
  Split split = group_begin(pass, tile);
  for (unsigned i = 0; i < kMergedRuns; ++i) split.at[i] = least(split.at[i] + pass.run_length, pass.count);
  return split;
}

// Moves `split` on by the next `rank` records of the merged group. Each step looks rank / 4 records ahead in every run:
// up to the least of the four keys there, the records of its run are among the next `rank` for certain, because fewer
// than a quarter of `rank` of any other run come before it. O(log rank) steps of four independent reads.
template <typename Less>
SPILLWAY_HOST_DEVICE Split advanced(Split split, const Split& end, std::uint64_t rank, const std::uint64_t* keys,
                                    Less less) {
  while (rank > 0) {
    const std::uint64_t step = rank < kMergedRuns ? 1 : rank / kMergedRuns;
    std::uint64_t ahead[kMergedRuns], key[kMergedRuns];
    for (unsigned i = 0; i < kMergedRuns; ++i) {
      ahead[i] = least(step, end.at[i] - split.at[i]);
      key[i] = ahead[i] == 0 ? 0 : keys[split.at[i] + ahead[i] - 1];
    }
    unsigned best = kMergedRuns;
    std::uint64_t best_key = 0, best_ahead = 0;
    for (unsigned i = 0; i < kMergedRuns; ++i) {
      const bool better = ahead[i] != 0 && (best == kMergedRuns || less(key[i], best_key));
      best = better ? i : best;
      best_key = better ? key[i] : best_key;
      best_ahead = better ? ahead[i] : best_ahead;
    }
    for (unsigned i = 0; i < kMergedRuns; ++i) split.at[i] += i == best ? best_ahead : 0;
    rank -= best_ahead;
  }
  return split;
}

// Where a tile's records stand: position i of the shared window, if it is below end[j] and in no earlier run's part, is
// record i + offset[j] of the source (modulo 2^64).
struct TileWindows {
  std::uint64_t offset[kMergedRuns];
  unsigned end[kMergedRuns];

  SPILLWAY_HOST_DEVICE unsigned count() const { return end[kMergedRuns - 1]; }
  SPILLWAY_HOST_DEVICE std::uint64_t source(unsigned i) const {
    const std::uint64_t low = i < end[0] ? offset[0] : offset[1], high = i < end[2] ? offset[2] : offset[3];
    return i + (i < end[1] ? low : high);
  }
};

inline SPILLWAY_HOST_DEVICE TileWindows tile_windows(const Split& begin, const Split& end) {
  TileWindows windows;
  unsigned filled = 0;
  for (unsigned i = 0; i < kMergedRuns; ++i) {
    windows.offset[i] = begin.at[i] - filled;
    filled += static_cast<unsigned>(end.at[i] - begin.at[i]);
    windows.end[i] = filled;
  }
  return windows;
}

// First step of a tile's merge: parts 0 and 1 become one run, and parts 2 and 3. A thread whose records lie on the
// border takes part in both.
template <bool kHasValue, typename Less>
SPILLWAY_HOST_DEVICE void merge_parts(const typename DavidsonShape<kHasValue>::MergeWindow& from,
                                      const typename DavidsonShape<kHasValue>::MergeWindow& to,
                                      const TileWindows& windows, unsigned first, Less less) {
  using Shape = DavidsonShape<kHasValue>;
  const unsigned stop = least(first + Shape::kMergedPerThread, windows.count());
  const unsigned border = windows.end[1];
  while (first < stop) {
    const bool low = first < border;
    const RunPair runs = low ? RunPair{0, windows.end[0], windows.end[0], border}
                             : RunPair{border, windows.end[2], windows.end[2], windows.end[3]};
    const unsigned next = low ? least(stop, border) : stop;
    merge_share<kHasValue, Shape::kMergedPerThread>(
        from, runs, first - runs.a, windows.count() - 1,
        IntoWindow<kHasValue, typename Shape::MergeWindow>{to, first, next - first}, less);
    first = next;
  }
}

// Second step: the two runs become one.
template <bool kHasValue, typename Less>
SPILLWAY_HOST_DEVICE void merge_halves(const typename DavidsonShape<kHasValue>::MergeWindow& from,
                                       const typename DavidsonShape<kHasValue>::MergeWindow& to,
                                       const TileWindows& windows, unsigned first, Less less) {
  using Shape = DavidsonShape<kHasValue>;
  if (first >= windows.count()) return;
  const unsigned count = least(Shape::kMergedPerThread, windows.count() - first);
  const RunPair runs{0, windows.end[1], windows.end[1], windows.count()};
  merge_share<kHasValue, Shape::kMergedPerThread>(from, runs, first, windows.count() - 1,
                                                  IntoWindow<kHasValue, typename Shape::MergeWindow>{to, first, count},
                                                  less);
}

}  // namespace spillway
