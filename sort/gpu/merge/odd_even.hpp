// Batcher's odd-even merge sort (1968) of the 256 records of a warp, with eight consecutive records in the registers of
// each lane. Step logic of one lane: exchanges inside it, and with records that other lanes hand to it.
#pragma once

#include "sort/gpu/merge/records.hpp"

namespace spillway {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kPerLane = 8;

// Returns whether `a` comes before `b`. The network is not stable: where equal keys can differ, the records' values
// hold their original places and decide.
template <typename Less>
SPILLWAY_HOST_DEVICE bool comes_before(const Record<true>& a, const Record<true>& b, Less less) {
  return less(a.key, b.key) || (!less(b.key, a.key) && a.value < b.value);
}
template <typename Less>
SPILLWAY_HOST_DEVICE bool comes_before(const Record<false>& a, const Record<false>& b, Less less) {
  return less(a.key, b.key);
}

// A comparator inside a lane.
template <bool kHasPlace, typename Less>
SPILLWAY_HOST_DEVICE void compare_exchange(Record<kHasPlace>& low, Record<kHasPlace>& high, Less less) {
  const bool exchange = comes_before(high, low, less);
  const Record<kHasPlace> first = exchange ? high : low;
  high = exchange ? low : high;
  low = first;
}

// One end of a comparator between lanes: returns which of `own` and `other`, the record of the other end, stays here.
enum class End { kLow, kHigh };
template <bool kHasPlace, typename Less>
SPILLWAY_HOST_DEVICE Record<kHasPlace> kept(const Record<kHasPlace>& own, const Record<kHasPlace>& other, End end,
                                            Less less) {
  const bool other_first = comes_before(other, own, less);
  return (end == End::kLow) == other_first ? other : own;
}

// Does all merges of runs of 1, 2 and 4 records: sorts the lane's records.
template <bool kHasPlace, typename Less>
SPILLWAY_HOST_DEVICE void sort_in_lane(Record<kHasPlace> (&records)[kPerLane], Less less) {
  SPILLWAY_UNROLL
  for (unsigned run = 1; run < kPerLane; run *= 2) {
    SPILLWAY_UNROLL
    for (unsigned distance = run; distance > 0; distance /= 2) {
      SPILLWAY_UNROLL
      for (unsigned low = distance % run; low + distance < kPerLane; ++low) {
        const bool is_low = (low - distance % run) / distance % 2 == 0;
        if (is_low && low / (2 * run) == (low + distance) / (2 * run)) {
          compare_exchange(records[low], records[low + distance], less);
        }
      }
    }
  }
}

// The partner of a lane in the step over `distance` lanes of the merges of runs of `run` lanes.
struct LanePartner {
  unsigned lane;
  End own_end;
  bool is_active;
};
inline SPILLWAY_HOST_DEVICE LanePartner lane_partner(unsigned lane, unsigned run, unsigned distance) {
  const bool upper_half = (lane & distance) != 0;
  const bool is_low = (distance == run) != upper_half;
  const unsigned partner = is_low ? lane + distance : lane - distance;
  const bool in_one_merge = (lane & ~(2 * run - 1)) == (partner & ~(2 * run - 1));
  return {in_one_merge ? partner : lane, is_low ? End::kLow : End::kHigh, in_one_merge};
}

// The comparators inside a lane in the steps over kDistance = 4, 2 or 1 records. The others connect the first and last
// kDistance records with the neighbouring lanes.
template <unsigned kDistance, bool kHasPlace, typename Less>
SPILLWAY_HOST_DEVICE void exchange_in_lane(Record<kHasPlace> (&records)[kPerLane], Less less) {
  SPILLWAY_UNROLL
  for (unsigned low = kDistance; low + 2 * kDistance <= kPerLane; low += 2 * kDistance) {
    SPILLWAY_UNROLL
    for (unsigned i = low; i < low + kDistance; ++i) compare_exchange(records[i], records[i + kDistance], less);
  }
}
// Returns whether a lane before (after) this one belongs to the same merge of runs of `run` lanes.
inline SPILLWAY_HOST_DEVICE bool has_lane_before(unsigned lane, unsigned run) { return (lane & (2 * run - 1)) != 0; }
inline SPILLWAY_HOST_DEVICE bool has_lane_after(unsigned lane, unsigned run) {
  return ((lane + 1) & (2 * run - 1)) != 0;
}

}  // namespace spillway
