// Tile sizes of gpu-string-merge, and the groups that a round leaves to the next one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sort/gpu/string_merge/prefix_key.hpp"

namespace spillway {

inline constexpr std::uint32_t kMergeThreads = 256;  // of a block
inline constexpr std::uint32_t kMergeEach = 8;       // strings of a thread, as in the paper
inline constexpr std::uint32_t kMergeTile = kMergeThreads * kMergeEach;

// Larger groups of strings with equal keys go through another round of merges; a block finishes smaller ones.
inline constexpr std::uint32_t kMaxBlockGroup = 1024;
static_assert(2 * kMaxBlockGroup <= kMergeTile);

// Strings that share some bytes. They take places [begin, begin + count) of the result, and [first, first + count)
// of the round that sorts them.
struct MergeGroup {
  std::uint32_t begin, first, count;
  GroupDepth known;
};
inline constexpr std::uint32_t kBlockGroupBits = 10;  // number the groups of two or more strings in a tile

inline constexpr std::size_t most_merge_groups(std::size_t strings) { return strings / (kMaxBlockGroup + 1) + 1; }

// Returns the place of the group's pivot. Any string would do; the middle one halves a group that is already in order.
inline constexpr std::uint32_t pivot_place(std::uint32_t begin, std::uint32_t count) { return begin + count / 2; }

}  // namespace spillway
