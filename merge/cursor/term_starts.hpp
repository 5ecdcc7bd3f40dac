// Finds the least term of many inputs by the first 8 bytes of their terms: 64 inputs at a time, with AVX-512 where the
// CPU has it. Most terms occur in most runs, so scanning all inputs once per term costs less than a tree's path of
// log2(inputs) comparisons for each entry.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

inline constexpr std::size_t kTermStarts = 64;

// Returns the minimum of kTermStarts numbers, which are aligned to 64 bytes. O(kTermStarts).
std::uint64_t least_start(const std::uint64_t* starts);
// Returns a mask whose bit i says whether starts[i] == start.
std::uint64_t equal_starts(const std::uint64_t* starts, std::uint64_t start);

// The same without vector instructions, for other CPUs and for tests.
std::uint64_t least_start_portable(const std::uint64_t* starts);
std::uint64_t equal_starts_portable(const std::uint64_t* starts, std::uint64_t start);

}  // namespace spillway
