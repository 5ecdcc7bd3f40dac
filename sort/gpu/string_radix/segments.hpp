// Segments of gpu-string-radix: ranges of the order whose strings share a prefix and are not sorted yet. Large segments
// go through radix rounds together; the finishing kernels sort the others.
#pragma once

#include <bit>
#include <cstdint>

#include "sort/gpu/device/host_device.hpp"

namespace spillway {

// The finishing kernels have classes for segments of up to 64, 256 and 1024 strings. Larger segments are large.
inline constexpr unsigned kFinishClasses = 3;
SPILLWAY_HOST_DEVICE constexpr std::uint32_t finish_limit(unsigned segment_class) { return 64u << (2 * segment_class); }
inline constexpr std::uint32_t kSmallSegment = finish_limit(kFinishClasses - 1);

// Returns the finishing class of a segment, or kFinishClasses for a large one.
SPILLWAY_HOST_DEVICE constexpr unsigned class_of_segment(std::uint32_t count) {
  unsigned segment_class = 0;
  while (segment_class < kFinishClasses && count > finish_limit(segment_class)) ++segment_class;
  return segment_class;
}

// A list of segments as arrays in device memory.
struct FinishSegments {
  std::uint32_t* start = nullptr;  // first place in the order
  std::uint32_t* offset =
      nullptr;  // first the number of its strings, later the sum over the segments before it; count + 1
  std::uint32_t* depth = nullptr;  // bytes that its strings share
};
struct LargeSegments {
  std::uint32_t* start = nullptr;
  std::uint32_t* offset = nullptr;
  std::uint32_t* depth = nullptr;
  std::uint32_t* shared = nullptr;   // bytes that its strings share, from a comparison of all of them
  std::uint32_t* longest = nullptr;  // bytes of its longest string
};

struct Segment {
  std::uint32_t start;
  std::uint32_t count;
  std::uint32_t depth;
};

// Returns the bits that number `count` segments from 0; 0 bits for one. Requires: count > 0.
inline std::uint32_t bits_below(std::uint32_t count) { return static_cast<std::uint32_t>(std::bit_width(count - 1)); }

// Strings and segments that open large segments had before and after a round.
struct RoundProgress {
  std::uint32_t segments_before, strings_before, segments_after, strings_after;
  // Returns whether the round told few strings apart: where strings are prefixes of each other, it finds the shortest
  // ones only. Rounds over real sets make many segments, even where most strings stay.
  bool is_slow() const {
    return strings_after > strings_before / 16 * 15 && segments_after <= segments_before + segments_before / 8;
  }
};
// Comparisons with pivots take over after this many slow rounds in a row.
inline constexpr unsigned kMostSlowRounds = 4;

// The sorted keys of one round. From the highest bit: the segment's number, the digits (or code) of the bytes after its
// common prefix, and one bit that tells whether the string goes on.
template <typename Key>
struct RoundKeys {
  const Key* keys = nullptr;  // sorted
  std::uint32_t count = 0;
  std::uint32_t bits = 0;  // of a key, without the segment number

  SPILLWAY_HOST_DEVICE std::uint32_t segment(Key key) const {
    return bits >= 8 * sizeof(Key) ? 0 : static_cast<std::uint32_t>(key >> bits);
  }
  // Returns whether the strings of this key are equal, and so final.
  SPILLWAY_HOST_DEVICE static bool has_ended(Key key) { return (key & 1) == 0; }
  // Returns whether `at` is the first of several strings of one key that go on.
  SPILLWAY_HOST_DEVICE bool begins_segment(std::uint32_t at) const {
    const Key key = keys[at];
    return at + 1 < count && keys[at + 1] == key && (at == 0 || keys[at - 1] != key) && !has_ended(key);
  }
};

}  // namespace spillway
