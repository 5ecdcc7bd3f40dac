// Step logic of one thread in the merges of `gpu-merge:satish` (Satish, Harris, Garland 2009, section IV): the rank of
// a record in the other run, and the place of a splitter in both runs of its pair. sort/gpu/merge/odd_even.hpp sorts
// tiles.
#pragma once

#include "sort/gpu/merge/odd_even.hpp"

namespace spillway {

// Records of a tile, and from one splitter to the next: t = 256 of the paper.
inline constexpr unsigned kSatishTile = kLanes * kPerLane;

// Returns the end of the keys of sorted[begin, end) that come before `key`: smaller ones and, if they belong to the
// left run, equal ones. O(log(end - begin)).
enum class Side { kLeft, kRight };
template <Side kOf, typename Index, typename Less>
SPILLWAY_HOST_DEVICE Index place_of(const std::uint64_t* sorted, Index begin, Index end, std::uint64_t key, Less less) {
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    const bool before = kOf == Side::kLeft ? !less(key, sorted[middle]) : less(sorted[middle], key);
    begin = before ? middle + 1 : begin;
    end = before ? end : middle;
  }
  return begin;
}

// place_of() in sorted[0, count) for count <= kSatishTile, without branches and in the same number of steps for any
// count. Requires: kSatishTile keys of `sorted` are readable; their values from `count` on do not matter.
template <Side kOf, typename Less>
SPILLWAY_HOST_DEVICE unsigned place_in_range(const std::uint64_t* sorted, unsigned count, std::uint64_t key,
                                             Less less) {
  unsigned place = 0;
  SPILLWAY_UNROLL
  for (unsigned step = kSatishTile / 2; step > 0; step /= 2) {
    const std::uint64_t other = sorted[place + step - 1];
    const bool before = kOf == Side::kLeft ? !less(key, other) : less(other, key);
    place += place + step <= count && before ? step : 0;
  }
  const std::uint64_t other = sorted[place];  // tells 256 places from 257
  const bool before = kOf == Side::kLeft ? !less(key, other) : less(other, key);
  return place + (place < count && before ? 1 : 0);
}

// One level of the merge tree: pairs of neighbouring runs of run_length records (a power of two) become one; the last
// run may be short, or without a partner.
struct TreeLevel {
  std::uint64_t count = 0;
  std::uint64_t run_length = 0;
};

// The pair of runs that holds record i: [begin, middle) and [middle, end).
struct TreePair {
  std::uint64_t begin, middle, end;
};

inline SPILLWAY_HOST_DEVICE TreePair pair_of(const TreeLevel& level, std::uint64_t i) {
  const std::uint64_t begin = i & ~(2 * level.run_length - 1);
  const std::uint64_t left = level.count - begin;
  return {begin, begin + (left < level.run_length ? left : level.run_length),
          begin + (left < 2 * level.run_length ? left : 2 * level.run_length)};
}

// Returns the place of record i after the merge of its pair, by a search in the whole other run.
template <typename Less>
SPILLWAY_HOST_DEVICE std::uint64_t merged_place(const std::uint64_t* keys, const TreeLevel& level, std::uint64_t i,
                                                Less less) {
  const TreePair pair = pair_of(level, i);
  if (i < pair.middle) return i + place_of<Side::kRight>(keys, pair.middle, pair.end, keys[i], less) - pair.middle;
  return i - pair.middle + place_of<Side::kLeft>(keys, pair.begin, pair.middle, keys[i], less);
}

// A split of a pair: [begin, left) and [middle, right) come before it.
struct TreeSplit {
  std::uint64_t left, right;
};

// Returns the split at the k-th of the merged splitters of all pairs. `number` is the splitter's number before that
// merge: it is record number * kSatishTile. Its rank among the other run's splitters leaves kSatishTile records to
// search.
template <typename Less>
SPILLWAY_HOST_DEVICE TreeSplit split_at(const std::uint64_t* keys, const TreeLevel& level, std::uint64_t k,
                                        std::uint64_t number, Less less) {
  const std::uint64_t place = number * kSatishTile;
  const TreePair pair = pair_of(level, place);
  const bool is_left = place < pair.middle;
  const std::uint64_t own = place - (is_left ? pair.begin : pair.middle);
  const std::uint64_t others = k - pair.begin / kSatishTile - own / kSatishTile;
  const std::uint64_t begin = is_left ? pair.middle : pair.begin, end = is_left ? pair.end : pair.middle;
  const std::uint64_t low = begin + (others == 0 ? 0 : (others - 1) * kSatishTile + 1);
  const std::uint64_t above = begin + others * kSatishTile;
  const std::uint64_t high = above < end ? above : end;
  if (is_left) return {place, place_of<Side::kRight>(keys, low, high, keys[place], less)};
  return {place_of<Side::kLeft>(keys, low, high, keys[place], less), place};
}

// The records between two neighbouring splitters of a pair: at most kSatishTile of either run.
struct TreeTile {
  std::uint64_t left, right, out;
  unsigned left_count, right_count;
};

inline SPILLWAY_HOST_DEVICE TreeTile tile_between(const TreeLevel& level, const TreeSplit* splits, std::uint64_t k,
                                                  std::uint64_t split_count) {
  const TreePair pair = pair_of(level, k * kSatishTile);
  const bool is_last = k + 1 == split_count || (k + 1) * kSatishTile >= pair.end;
  const TreeSplit begin = splits[k];
  const TreeSplit end = is_last ? TreeSplit{pair.middle, pair.end} : splits[k + 1];
  return {begin.left, begin.right, begin.left + (begin.right - pair.middle),
          static_cast<unsigned>(end.left - begin.left), static_cast<unsigned>(end.right - begin.right)};
}

// Returns a pair of runs of at most kSatishTile records as one tile.
inline SPILLWAY_HOST_DEVICE TreeTile whole_pair(const TreeLevel& level, std::uint64_t pair_number) {
  const TreePair pair = pair_of(level, pair_number * 2 * level.run_length);
  return {pair.begin, pair.middle, pair.begin, static_cast<unsigned>(pair.middle - pair.begin),
          static_cast<unsigned>(pair.end - pair.middle)};
}

}  // namespace spillway
