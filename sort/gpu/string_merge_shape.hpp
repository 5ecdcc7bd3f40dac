// The shape of the string merge sort, the same on the GPU and in its host form.
#pragma once

#include <cstdint>

namespace spillway {

inline constexpr std::uint32_t kMergeThreads = 256;  // a block
inline constexpr std::uint32_t kMergeEach = 8;       // strings a thread puts out, as in the paper
inline constexpr std::uint32_t kMergeTile = kMergeThreads * kMergeEach;

}  // namespace spillway
