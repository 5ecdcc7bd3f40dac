// The shape of the string merge sort, the same on the GPU and in its host form, and what a round leaves to the next
// one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

inline constexpr std::uint32_t kMergeThreads = 256;  // a block
inline constexpr std::uint32_t kMergeEach = 8;       // strings a thread puts out, as in the paper
inline constexpr std::uint32_t kMergeTile = kMergeThreads * kMergeEach;

// Groups of more strings with equal keys go through a round of merges, smaller ones are finished in a block.
inline constexpr std::uint32_t kMostInBlock = 1024;
static_assert(2 * kMostInBlock <= kMergeTile);

// Strings that share `depth` bytes: places [begin, begin + count) of the result, which are [first, first + count) of
// the round that sorts them.
struct MergeGroup {
  std::uint32_t begin, first, count, depth;
};
inline constexpr std::uint32_t kBlockGroupBits = 10;  // of groups of two strings or more in a tile

inline constexpr std::size_t most_merge_groups(std::size_t strings) { return strings / (kMostInBlock + 1) + 1; }

// Any string of the group may be its pivot; the middle one halves a group that is in order already.
inline constexpr std::uint32_t pivot_place(std::uint32_t begin, std::uint32_t count) { return begin + count / 2; }

}  // namespace spillway
