// The comparators of a bitonic network among the 32 keys of one thread. The five bits of a key's number r are five bits
// of its place in the tile; the tile's layout (sort/gpu/bitonic/tile.hpp) decides which.
#pragma once

#include <cstdint>

#include "sort/gpu/device/host_device.hpp"

namespace spillway::bitonic {

inline constexpr unsigned kThreadBits = 5;
inline constexpr unsigned kThreadKeys = 1u << kThreadBits;
using ThreadKeys = std::uint64_t[kThreadKeys];

SPILLWAY_HOST_DEVICE inline void compare_exchange(std::uint64_t& smaller, std::uint64_t& larger) {
  const bool in_order = smaller < larger;
  const std::uint64_t first = in_order ? smaller : larger;
  larger = in_order ? larger : smaller;
  smaller = first;
}

// One step: compares each key r with key r ^ 2^kBit. With kMirrored the keys of the upper half (bit kTop of r is 1) are
// in reverse order, so that their comparators below kTop are reversed too.
template <unsigned kBit, unsigned kTop, bool kMirrored>
SPILLWAY_HOST_DEVICE inline void compare_step(ThreadKeys& keys) {
  SPILLWAY_UNROLL
  for (unsigned r = 0; r < kThreadKeys; ++r) {
    if ((r >> kBit & 1) != 0) continue;
    const unsigned partner = r | 1u << kBit;
    if (kMirrored && kBit != kTop && (r >> kTop & 1) != 0) {
      compare_exchange(keys[partner], keys[r]);
    } else {
      compare_exchange(keys[r], keys[partner]);
    }
  }
}

// The steps of the kCount bits kTop, kTop - 1, ... of r, or of the first `count` of them.
template <unsigned kTop, unsigned kCount, bool kMirrored>
SPILLWAY_HOST_DEVICE inline void merge_steps(ThreadKeys& keys, unsigned count = kCount) {
  if (count > 0) compare_step<kTop, kTop, kMirrored>(keys);
  if constexpr (kCount > 1) {
    if (count > 1) compare_step<kTop - 1, kTop, kMirrored>(keys);
  }
  if constexpr (kCount > 2) {
    if (count > 2) compare_step<kTop - 2, kTop, kMirrored>(keys);
  }
  if constexpr (kCount > 3) {
    if (count > 3) compare_step<kTop - 3, kTop, kMirrored>(keys);
  }
  if constexpr (kCount > 4) {
    if (count > 4) compare_step<kTop - 4, kTop, kMirrored>(keys);
  }
  static_assert(kCount >= 1 && kCount <= kThreadBits && kCount <= kTop + 1);
}

// Does the last `count` steps: those of bits count - 1, ..., 0 of the place in `keys`.
SPILLWAY_HOST_DEVICE inline void last_steps(ThreadKeys& keys, unsigned count) {
  if (count > 4) compare_step<4, 4, false>(keys);
  if (count > 3) compare_step<3, 3, false>(keys);
  if (count > 2) compare_step<2, 2, false>(keys);
  if (count > 1) compare_step<1, 1, false>(keys);
  if (count > 0) compare_step<0, 0, false>(keys);
}

// Compares key r with its mirror image in its group of 2^kStage keys: the reflected first step of a stage.
template <unsigned kStage>
SPILLWAY_HOST_DEVICE inline void reflect_step(ThreadKeys& keys) {
  SPILLWAY_UNROLL
  for (unsigned r = 0; r < kThreadKeys; ++r) {
    const unsigned partner = r ^ ((1u << kStage) - 1);
    if (r < partner) compare_exchange(keys[r], keys[partner]);
  }
}

// Sorts a thread's keys: stages 1 to kThreadBits.
template <unsigned kStage = 1>
SPILLWAY_HOST_DEVICE inline void sort_thread_keys(ThreadKeys& keys) {
  reflect_step<kStage>(keys);
  if constexpr (kStage > 1) merge_steps<kStage - 2, kStage - 1, false>(keys);
  if constexpr (kStage < kThreadBits) sort_thread_keys<kStage + 1>(keys);
}

}  // namespace spillway::bitonic
