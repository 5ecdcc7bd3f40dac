// Batcher's odd-even merge sort (1968) of the 256 records of a warp, eight consecutive ones in the registers of each
// lane: exchanges inside a lane, between neighbouring lanes, and between lanes further apart. The step logic of one
// lane; what other lanes hold is handed to it.
#pragma once

#include "sort/gpu/merge/records.hpp"

namespace spillway {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kPerLane = 8;

// Is `a` to stand before `b`? The network is not stable: where equal keys can differ, the place that a key had before
// decides between them, which stands in its record's value.
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

// One end of a comparator between lanes: what stays here of `own` and the other end's record.
enum class End { kLow, kHigh };
template <bool kHasPlace, typename Less>
SPILLWAY_HOST_DEVICE Record<kHasPlace> kept(const Record<kHasPlace>& own, const Record<kHasPlace>& other, End end,
                                            Less less) {
  const bool other_first = comes_before(other, own, less);
  return (end == End::kLow) == other_first ? other : own;
}

// All merges of runs of 1, 2 and 4 records: the lane's records are in order.
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

// The comparators of a lane with another, in the step of the merges of runs of `run` lanes whose distance is `distance`
// lanes.
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

// In the steps with a distance of 4, 2 or 1 records: the comparators inside a lane. Those at its ends reach `distance`
// records into the lane before and the lane after.
template <unsigned kDistance, bool kHasPlace, typename Less>
SPILLWAY_HOST_DEVICE void exchange_in_lane(Record<kHasPlace> (&records)[kPerLane], Less less) {
  SPILLWAY_UNROLL
  for (unsigned low = kDistance; low + 2 * kDistance <= kPerLane; low += 2 * kDistance) {
    SPILLWAY_UNROLL
    for (unsigned i = low; i < low + kDistance; ++i) compare_exchange(records[i], records[i + kDistance], less);
  }
}
// Has the lane one before (or after) it in its merge of runs of `run` lanes?
inline SPILLWAY_HOST_DEVICE bool has_lane_before(unsigned lane, unsigned run) { return (lane & (2 * run - 1)) != 0; }
inline SPILLWAY_HOST_DEVICE bool has_lane_after(unsigned lane, unsigned run) {
  return ((lane + 1) & (2 * run - 1)) != 0;
}

}  // namespace spillway
