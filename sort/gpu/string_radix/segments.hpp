// Segments of gpu-string-radix: runs of places in the order whose strings share a prefix and still have to be sorted
// among each other. Large ones go through radix rounds together; the others are left to the finishing kernels.
#pragma once

#include <bit>
#include <cstdint>

#include "sort/gpu/device/host_device.hpp"

namespace spillway {

// Classes of finishing, by the most strings of a segment: 64, 256, 1024. A segment of more is large.
inline constexpr unsigned kFinishClasses = 3;
SPILLWAY_HOST_DEVICE constexpr std::uint32_t finish_limit(unsigned segment_class) { return 64u << (2 * segment_class); }
inline constexpr std::uint32_t kSmallSegment = finish_limit(kFinishClasses - 1);

// kFinishClasses for a large one.
SPILLWAY_HOST_DEVICE constexpr unsigned class_of_segment(std::uint32_t count) {
  unsigned segment_class = 0;
  while (segment_class < kFinishClasses && count > finish_limit(segment_class)) ++segment_class;
  return segment_class;
}

// Arrays of one list, on the device (or, in the host form, not).
struct FinishSegments {
  std::uint32_t* start = nullptr;   // first place in the order
  std::uint32_t* offset = nullptr;  // strings of the segments before it (first: its own number of strings); count + 1
  std::uint32_t* depth = nullptr;   // bytes that its strings share
};
struct LargeSegments {
  std::uint32_t* start = nullptr;
  std::uint32_t* offset = nullptr;
  std::uint32_t* depth = nullptr;
  std::uint32_t* shared = nullptr;   // the same, when all of its strings were looked at
  std::uint32_t* longest = nullptr;  // bytes of its longest string
};

struct Segment {
  std::uint32_t start;
  std::uint32_t count;
  std::uint32_t depth;
};

// Bits that number `count` segments from 0: none for one. Requires count > 0.
inline std::uint32_t bits_below(std::uint32_t count) { return static_cast<std::uint32_t>(std::bit_width(count - 1)); }

// Keys of one round: segment number above, digits of the bytes behind the segment's shared prefix (or their code)
// below, and lowest whether the string goes on behind them.
template <typename Key>
struct RoundKeys {
  const Key* keys = nullptr;  // sorted
  std::uint32_t count = 0;
  std::uint32_t bits = 0;  // of a key without its segment

  SPILLWAY_HOST_DEVICE std::uint32_t segment(Key key) const {
    return bits >= 8 * sizeof(Key) ? 0 : static_cast<std::uint32_t>(key >> bits);
  }
  // Strings of this key are equal, and final.
  SPILLWAY_HOST_DEVICE static bool has_ended(Key key) { return (key & 1) == 0; }
  // The first of several strings of one key that go on.
  SPILLWAY_HOST_DEVICE bool begins_segment(std::uint32_t at) const {
    const Key key = keys[at];
    return at + 1 < count && keys[at + 1] == key && (at == 0 || keys[at - 1] != key) && !has_ended(key);
  }
};

}  // namespace spillway
