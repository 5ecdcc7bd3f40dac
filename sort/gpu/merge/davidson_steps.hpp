// Step logic of one thread in `gpu-merge:davidson` (Davidson, Tarjan, Garland, Owens 2012, section 3): sorts eight
// records in registers, merges inside a tile, finds where the tiles of a merge begin in its four runs, and merges a
// tile from them.
#pragma once

#include "sort/gpu/merge/steps.hpp"

namespace spillway {

// Found on an H200 (docs/sorters.md). Two merge buffers fit the 64 KiB of shared memory of compute capability 7.5. In a
// merge each thread takes an odd number of records, so that threads use different banks, and the last threads take
// fewer or none.
template <bool kHasValue>
struct DavidsonShape {
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kPerThread = kHasValue ? 8 : 16;
  static constexpr unsigned kTile = kThreads * kPerThread;
  static constexpr unsigned kShift = kHasValue ? 11 : 12;  // log2(kTile)
  static constexpr unsigned kMergedPerThread = kPerThread + 1;
  using SortBuffer = SharedRecords<kHasValue, 16>;
  using MergeBuffer = SharedRecords<kHasValue, 0>;
};
inline constexpr unsigned kSortedInRegisters = 8;
inline constexpr unsigned kMergedRuns = 4;

// Sorts `count` records by odd-even transposition, which is stable because it exchanges only neighbours that are out of
// order. The other records stay where they are.
template <bool kHasValue, typename Less>
SPILLWAY_HOST_DEVICE void sort_eight(Record<kHasValue> (&records)[kSortedInRegisters], unsigned count, Less less) {
  SPILLWAY_UNROLL
  for (unsigned round = 0; round < kSortedInRegisters; ++round) {
    SPILLWAY_UNROLL
    for (unsigned i = round % 2; i + 1 < kSortedInRegisters; i += 2) {
      const bool exchange = i + 1 < count && less(records[i + 1].key, records[i].key);
      const Record<kHasValue> low = exchange ? records[i + 1] : records[i];
      records[i + 1] = exchange ? records[i] : records[i + 1];
      records[i] = low;
    }
  }
}

// Sorts the eight records at `first` of a buffer that holds `count`.
template <bool kHasValue, typename Less>
SPILLWAY_HOST_DEVICE void sort_in_registers(const typename DavidsonShape<kHasValue>::SortBuffer& buffer, unsigned first,
                                            unsigned count, Less less) {
  if (first >= count) return;
  const unsigned present = least(count - first, kSortedInRegisters);
  Record<kHasValue> records[kSortedInRegisters] = {};
  SPILLWAY_UNROLL
  for (unsigned i = 0; i < kSortedInRegisters; ++i) {
    if (i < present) records[i] = buffer.load(first + i);
  }
  sort_eight(records, present, less);
  SPILLWAY_UNROLL
  for (unsigned i = 0; i < kSortedInRegisters; ++i) {
    if (i < present) buffer.store(first + i, records[i]);
  }
}

// Returns the pair of runs of `run` records each that record `first` of a tile of `count` records belongs to.
inline SPILLWAY_HOST_DEVICE RunPair runs_around(unsigned first, unsigned run, unsigned count) {
  const unsigned begin = first & ~(2 * run - 1), middle = least(begin + run, count);
  return {begin, middle, middle, least(begin + 2 * run, count), count - 1};
}

// Merges a pair of runs of a tile, and returns records [first, first + kPerThread) of the tile in `merged`. Requires:
// `first` is in the pair. Records after its end are undefined.
template <bool kHasValue, typename Less>
SPILLWAY_HOST_DEVICE void merge_inside_tile(const typename DavidsonShape<kHasValue>::SortBuffer& buffer,
                                            const RunPair& runs, unsigned first,
                                            Record<kHasValue> (&merged)[DavidsonShape<kHasValue>::kPerThread],
                                            Less less) {
  constexpr unsigned kPerThread = DavidsonShape<kHasValue>::kPerThread;
  merge_share<kHasValue, kPerThread>(buffer, runs, first - runs.a, IntoRegisters<kHasValue, kPerThread>{merged}, less);
}

// Merges every four neighbouring runs of `run_length` records; in the last group, runs may be short or missing. Tile t
// of the output is records [t * kTile, (t + 1) * kTile), and lies inside one group of four.
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
  SPILLWAY_UNROLL
  for (unsigned i = 0; i < kMergedRuns; ++i) {
    split.at[i] = least((group * kMergedRuns + i) * pass.run_length, pass.count);
  }
  return split;
}

inline SPILLWAY_HOST_DEVICE Split group_end(const MergePass& pass, std::uint64_t tile) {
  Split split = group_begin(pass, tile);
  SPILLWAY_UNROLL
  for (unsigned i = 0; i < kMergedRuns; ++i) split.at[i] = least(split.at[i] + pass.run_length, pass.count);
  return split;
}

inline constexpr unsigned kLookAhead = 5;  // keys of each run that a step reads

// Returns `split` advanced by the next `rank` records of the merged group. Each step reads kLookAhead keys of every
// run, rank / kDivisor records apart. Then kLookAhead times it takes the run whose next such key is least, up to that
// key: fewer than rank / kDivisor records of each other run come before the key, so all records taken are among the
// next `rank`. O(log rank) steps of 4 * kLookAhead independent reads; a longer look ahead needs fewer steps and more
// reads (docs/sorters.md).
template <typename Less>
SPILLWAY_HOST_DEVICE Split advanced(Split split, const Split& end, std::uint64_t rank, const std::uint64_t* keys,
                                    Less less) {
  constexpr unsigned kDivisor = kLookAhead + kMergedRuns - 1;
  while (rank > 0) {
    const std::uint64_t step = rank < kDivisor ? 1 : rank / kDivisor;
    std::uint64_t left[kMergedRuns], ahead[kMergedRuns][kLookAhead];
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < kMergedRuns; ++i) {
      left[i] = end.at[i] - split.at[i];
      SPILLWAY_UNROLL
      for (unsigned j = 0; j < kLookAhead; ++j) {
        const bool is_there = j * step < left[i];
        ahead[i][j] = is_there ? keys[split.at[i] + least((j + 1) * step, left[i]) - 1] : 0;
      }
    }
    for (unsigned take = 0; take < kLookAhead && rank > 0; ++take) {
      unsigned best = kMergedRuns;
      std::uint64_t best_key = 0;
      SPILLWAY_UNROLL
      for (unsigned i = 0; i < kMergedRuns; ++i) {
        const bool better = left[i] != 0 && (best == kMergedRuns || less(ahead[i][0], best_key));
        best = better ? i : best;
        best_key = better ? ahead[i][0] : best_key;
      }
      SPILLWAY_UNROLL
      for (unsigned i = 0; i < kMergedRuns; ++i) {
        const std::uint64_t taken = i == best ? least(step, left[i]) : 0;
        split.at[i] += taken;
        left[i] -= taken;
        rank -= taken;
        SPILLWAY_UNROLL
        for (unsigned j = 0; j + 1 < kLookAhead; ++j) ahead[i][j] = i == best ? ahead[i][j + 1] : ahead[i][j];
      }
    }
  }
  return split;
}

// Where the records of a tile come from: position i of the shared buffer, for the first j with i < end[j], is record
// i + offset[j] of the source (modulo 2^64).
struct TileSources {
  std::uint64_t offset[kMergedRuns];
  unsigned end[kMergedRuns];

  SPILLWAY_HOST_DEVICE unsigned count() const { return end[kMergedRuns - 1]; }
  SPILLWAY_HOST_DEVICE std::uint64_t source(unsigned i) const {
    const std::uint64_t low = i < end[0] ? offset[0] : offset[1], high = i < end[2] ? offset[2] : offset[3];
    return i + (i < end[1] ? low : high);
  }
};

inline SPILLWAY_HOST_DEVICE TileSources tile_sources(const Split& begin, const Split& end) {
  TileSources sources;
  unsigned filled = 0;
  SPILLWAY_UNROLL
  for (unsigned i = 0; i < kMergedRuns; ++i) {
    sources.offset[i] = begin.at[i] - filled;
    filled += static_cast<unsigned>(end.at[i] - begin.at[i]);
    sources.end[i] = filled;
  }
  return sources;
}

// First step of a tile's merge: runs 0 and 1 become one, and runs 2 and 3. A thread whose records cross the border
// works on both.
template <bool kHasValue, typename Less>
SPILLWAY_HOST_DEVICE void merge_run_pairs(const typename DavidsonShape<kHasValue>::MergeBuffer& from,
                                          const typename DavidsonShape<kHasValue>::MergeBuffer& to,
                                          const TileSources& sources, unsigned first, Less less) {
  using Shape = DavidsonShape<kHasValue>;
  const unsigned stop = least(first + Shape::kMergedPerThread, sources.count());
  const unsigned border = sources.end[1], last = sources.count() - 1;
  while (first < stop) {
    const bool low = first < border;
    const RunPair runs = low ? RunPair{0, sources.end[0], sources.end[0], border, last}
                             : RunPair{border, sources.end[2], sources.end[2], sources.end[3], last};
    const unsigned next = low ? least(stop, border) : stop;
    merge_share<kHasValue, Shape::kMergedPerThread>(
        from, runs, first - runs.a, IntoBuffer<kHasValue, typename Shape::MergeBuffer>{to, first, next - first}, less);
    first = next;
  }
}

// Second step: the two runs become one.
template <bool kHasValue, typename Less>
SPILLWAY_HOST_DEVICE void merge_halves(const typename DavidsonShape<kHasValue>::MergeBuffer& from,
                                       const typename DavidsonShape<kHasValue>::MergeBuffer& to,
                                       const TileSources& sources, unsigned first, Less less) {
  using Shape = DavidsonShape<kHasValue>;
  if (first >= sources.count()) return;
  const unsigned count = least(Shape::kMergedPerThread, sources.count() - first);
  const RunPair runs{0, sources.end[1], sources.end[1], sources.count(), sources.count() - 1};
  merge_share<kHasValue, Shape::kMergedPerThread>(
      from, runs, first, IntoBuffer<kHasValue, typename Shape::MergeBuffer>{to, first, count}, less);
}

}  // namespace spillway
