// Step logic of `hybrid-msd` on the GPU (Drozd et al. 2014, III.B): sorts 8-byte prefixes with the numbers of their
// strings from the most significant digit on, 8 bits a level. All blocks split the large buckets; adjacent small
// buckets form a tile, which one block finishes. Compiled for the host too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sort/gpu/device/host_device.hpp"

namespace spillway {

// The most items of a tile, which one block sorts in shared memory; larger buckets are split.
inline constexpr std::uint32_t kMsdTile = 2048;
inline constexpr std::uint32_t kMsdDigits = 256, kMsdPrefixLevels = 8;
// Items that a block counts or moves; and the slices of a bucket of `items` > 0 items, which may be 2^32 - 1.
inline constexpr std::uint32_t kMsdSlice = 64 * kMsdDigits;
SPILLWAY_HOST_DEVICE constexpr std::uint32_t msd_slices(std::uint32_t items) { return (items - 1) / kMsdSlice + 1; }

// Returns the digit of a level. The string's number provides four more digits after the prefix, so that equal prefixes
// end in string order although buckets are filled in any order.
SPILLWAY_HOST_DEVICE inline std::uint32_t msd_digit(std::uint64_t prefix, std::uint32_t index, std::uint32_t level) {
  const std::uint64_t digits = level < kMsdPrefixLevels ? prefix : std::uint64_t{index} << 32;
  return static_cast<std::uint32_t>(digits >> (56 - level % kMsdPrefixLevels * 8)) % kMsdDigits;
}

SPILLWAY_HOST_DEVICE inline bool is_prefix_before(std::uint64_t a, std::uint32_t a_index, std::uint64_t b,
                                                  std::uint32_t b_index) {
  return a != b ? a < b : a_index < b_index;
}

// Items [begin, end) of array 0 or 1.
struct MsdBucket {
  std::uint32_t begin, end, array;
  SPILLWAY_HOST_DEVICE std::uint32_t size() const { return end - begin; }
};

// Divides a bucket by the counts of its digits: calls split(bucket) for each child larger than a tile, and finish(tile)
// for each run of smaller children that fit one tile together. On return counts[d] is where digit d begins. O(digits).
template <typename Split, typename Finish>
SPILLWAY_HOST_DEVICE void plan_buckets(const MsdBucket& parent, std::uint32_t* counts, Split split, Finish finish) {
  MsdBucket tile{parent.begin, parent.begin, 1 - parent.array};
  std::uint32_t at = parent.begin;
  for (std::uint32_t digit = 0; digit < kMsdDigits; ++digit) {
    const std::uint32_t count = counts[digit];
    // A bucket with a single digit stays where it is.
    if (count == parent.size()) tile.array = parent.array;
    counts[digit] = at;
    at += count;
    if (tile.size() + count <= kMsdTile) {
      tile.end = at;
      continue;
    }
    if (tile.size() != 0) finish(tile);
    tile.begin = tile.end = at;
    if (count > kMsdTile) {
      split(MsdBucket{at - count, at, tile.array});
    } else {
      tile.begin = at - count;
    }
  }
  if (tile.size() != 0) finish(tile);
}

}  // namespace spillway
