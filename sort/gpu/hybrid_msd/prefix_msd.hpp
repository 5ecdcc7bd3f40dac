// The steps of `hybrid-msd` on the GPU (Drozd et al. 2014, III.B): strings' first eight bytes with the strings'
// numbers, sorted from the most significant digit on. Large buckets are split by all threads; small ones, several
// together, are a tile, which one block finishes. Plain C++ as well: the host form takes the same steps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sort/gpu/device/host_device.hpp"

namespace spillway {

// A tile is what a block sorts in shared memory; larger buckets are split.
inline constexpr std::uint32_t kMsdTile = 2048;
inline constexpr std::uint32_t kMsdDigits = 256, kMsdPrefixLevels = 8;

// Numbers follow the prefixes as further digits, so that equal prefixes come in the order of the strings though buckets
// are filled in any.
SPILLWAY_HOST_DEVICE inline std::uint32_t msd_digit(std::uint64_t prefix, std::uint32_t index, std::uint32_t level) {
  const std::uint64_t digits = level < kMsdPrefixLevels ? prefix : std::uint64_t{index} << 32;
  return static_cast<std::uint32_t>(digits >> (56 - level % kMsdPrefixLevels * 8)) % kMsdDigits;
}

SPILLWAY_HOST_DEVICE inline bool is_prefix_before(std::uint64_t a, std::uint32_t a_index, std::uint64_t b,
                                                  std::uint32_t b_index) {
  return a != b ? a < b : a_index < b_index;
}

// Positions [begin, end) of one of the two arrays.
struct MsdBucket {
  std::uint32_t begin, end, array;
  SPILLWAY_HOST_DEVICE std::uint32_t size() const { return end - begin; }
};

// Walks over the buckets that a bucket falls into: calls split(bucket) for those that are to be split again, and
// finish(bucket) for tiles of one or more that are not. On return counts[d] is where the bucket of digit d begins.
template <typename Split, typename Finish>
SPILLWAY_HOST_DEVICE void plan_buckets(const MsdBucket& parent, std::uint32_t* counts, Split split, Finish finish) {
  MsdBucket tile{parent.begin, parent.begin, 1 - parent.array};
  std::uint32_t at = parent.begin;
  for (std::uint32_t digit = 0; digit < kMsdDigits; ++digit) {
    const std::uint32_t count = counts[digit];
    // Nothing moves where all have one digit.
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
