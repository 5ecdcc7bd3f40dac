// Step logic of one thread in the block-wide merges of sorted records: finds the begin of its share by binary search,
// then merges linearly. Stable: of equal keys, those of the first run come first.
#pragma once

#include "sort/gpu/merge/records.hpp"

namespace spillway {

inline SPILLWAY_HOST_DEVICE std::uint64_t least(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }
inline SPILLWAY_HOST_DEVICE unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

// Two sorted runs in one buffer, whose last readable position is `last`: [a, a_end) before [b, b_end).
struct RunPair {
  unsigned a, a_end, b, b_end, last;
};

// Returns how many of the first `diagonal` records of the merged pair come from the first run (merge path: Odeh et al.
// 2012, Green et al. 2012). Requires: diagonal is at most the length of both runs together. O(log diagonal).
template <typename Buffer, typename Less>
SPILLWAY_HOST_DEVICE unsigned taken_from_first(const Buffer& buffer, const RunPair& runs, unsigned diagonal,
                                               Less less) {
  const unsigned b_count = runs.b_end - runs.b;
  unsigned low = diagonal > b_count ? diagonal - b_count : 0;
  unsigned high = least(diagonal, runs.a_end - runs.a);
  const unsigned b_last = runs.b + diagonal - 1;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    const bool b_first = less(buffer.key(b_last - middle), buffer.key(runs.a + middle));
    high = b_first ? middle : high;
    low = b_first ? low : middle + 1;
  }
  return low;
}

// Destinations of merged records: registers, or the positions [at, at + count) of another buffer.
template <bool kHasValue, unsigned kMost>
struct IntoRegisters {
  Record<kHasValue> (&records)[kMost];
  SPILLWAY_HOST_DEVICE void operator()(unsigned i, const Record<kHasValue>& record) const { records[i] = record; }
};
template <bool kHasValue, typename Buffer>
struct IntoBuffer {
  const Buffer& buffer;
  unsigned at, count;
  SPILLWAY_HOST_DEVICE void operator()(unsigned i, const Record<kHasValue>& record) const {
    if (i < count) buffer.store(at + i, record);
  }
};

// Calls put(i, record) for the first kMost records of the merged pair in order, and with undefined records after its
// end. Without branches, so that the threads of a warp stay together: at the end of its runs a thread reads on in the
// buffer, up to runs.last, and ignores the values.
template <bool kHasValue, unsigned kMost, typename Buffer, typename Put, typename Less>
SPILLWAY_HOST_DEVICE void merge_linearly(const Buffer& from, RunPair runs, const Put& put, Less less) {
  std::uint64_t key_a = from.key(least(runs.a, runs.last)), key_b = from.key(least(runs.b, runs.last));
  SPILLWAY_UNROLL
  for (unsigned i = 0; i < kMost; ++i) {
    const bool take_b = runs.b < runs.b_end && (runs.a >= runs.a_end || less(key_b, key_a));
    const unsigned taken = take_b ? runs.b : runs.a;
    Record<kHasValue> record;
    record.key = take_b ? key_b : key_a;
    if constexpr (kHasValue) record.value = from.values[from.slot(least(taken, runs.last))];
    put(i, record);
    const std::uint64_t next = from.key(least(taken + 1, runs.last));
    key_a = take_b ? key_a : next;
    key_b = take_b ? next : key_b;
    runs.a += take_b ? 0 : 1;
    runs.b += take_b ? 1 : 0;
  }
}

// Merges a thread's share: kMost records from the `diagonal`-th of the merged pair on.
template <bool kHasValue, unsigned kMost, typename Buffer, typename Put, typename Less>
SPILLWAY_HOST_DEVICE void merge_share(const Buffer& from, RunPair runs, unsigned diagonal, const Put& put, Less less) {
  const unsigned taken = taken_from_first(from, runs, diagonal, less);
  runs.a += taken;
  runs.b += diagonal - taken;
  merge_linearly<kHasValue, kMost>(from, runs, put, less);
}

}  // namespace spillway
