// The steps of one thread in the block-wide merges of sorted records: where its share begins (binary search), and the
// share itself (linear). Stable: of equal keys those of the first run come first.
#pragma once

#include "sort/gpu/merge/records.hpp"

namespace spillway {

inline SPILLWAY_HOST_DEVICE std::uint64_t least(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }
inline SPILLWAY_HOST_DEVICE unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

// Two sorted runs inside one window: [a, a_end) before [b, b_end).
struct RunPair {
  unsigned a, a_end, b, b_end;
};

// How many of the first `diagonal` records of the merged pair come from the first run (Odeh et al. 2012, Green et al.
// 2012). Requires: diagonal is at most the length of both. O(log diagonal).
template <typename Window, typename Less>
SPILLWAY_HOST_DEVICE unsigned taken_from_first(const Window& window, const RunPair& runs, unsigned diagonal,
                                               Less less) {
  const unsigned b_count = runs.b_end - runs.b;
  unsigned low = diagonal > b_count ? diagonal - b_count : 0;
  unsigned high = least(diagonal, runs.a_end - runs.a);
  const unsigned b_last = runs.b + diagonal - 1;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    const bool b_first = less(window.key(b_last - middle), window.key(runs.a + middle));
    high = b_first ? middle : high;
    low = b_first ? low : middle + 1;
  }
  return low;
}

// Where a thread's merged records go: into registers, or, up to `count`, to positions of another window.
template <bool kHasValue, unsigned kMost>
struct IntoRegisters {
  Record<kHasValue> (&records)[kMost];
  SPILLWAY_HOST_DEVICE void operator()(unsigned i, const Record<kHasValue>& record) const { records[i] = record; }
};
template <bool kHasValue, typename Window>
struct IntoWindow {
  const Window& window;
  unsigned at, count;
  SPILLWAY_HOST_DEVICE void operator()(unsigned i, const Record<kHasValue>& record) const {
    if (i < count) window.store(at + i, record);
  }
};

// Gives put(i, record) the first kMost records of the merged pair in order, then, where it has fewer, anything. Without
// branches, so that the threads of a warp stay together: a thread at the end of its runs reads on in the window, up to
// position `last`, and does not use what it reads.
template <bool kHasValue, unsigned kMost, typename Window, typename Put, typename Less>
SPILLWAY_HOST_DEVICE void merge_linearly(const Window& from, RunPair runs, unsigned last, const Put& put, Less less) {
  std::uint64_t key_a = from.key(least(runs.a, last)), key_b = from.key(least(runs.b, last));
  SPILLWAY_UNROLL
  for (unsigned i = 0; i < kMost; ++i) {
    const bool take_b = runs.b < runs.b_end && (runs.a >= runs.a_end || less(key_b, key_a));
    const unsigned taken = take_b ? runs.b : runs.a;
    Record<kHasValue> record;
    record.key = take_b ? key_b : key_a;
    if constexpr (kHasValue) record.value = from.values[from.slot(least(taken, last))];
    put(i, record);
    const std::uint64_t next = from.key(least(taken + 1, last));
    key_a = take_b ? key_a : next;
    key_b = take_b ? next : key_b;
    runs.a += take_b ? 0 : 1;
    runs.b += take_b ? 1 : 0;
  }
}

// A thread's share of a merge: the records from the `diagonal`-th of the merged pair on.
template <bool kHasValue, unsigned kMost, typename Window, typename Put, typename Less>
SPILLWAY_HOST_DEVICE void merge_share(const Window& from, RunPair runs, unsigned diagonal, unsigned last,
                                      const Put& put, Less less) {
  const unsigned taken = taken_from_first(from, runs, diagonal, less);
  runs.a += taken;
  runs.b += diagonal - taken;
  merge_linearly<kHasValue, kMost>(from, runs, last, put, less);
}

}  // namespace spillway
