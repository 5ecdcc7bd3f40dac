// Where the least term of many inputs is, by the first bytes of their terms: 64 inputs at a time, in vectors where the
// CPU has them. Most terms are in most runs, so looking at all of them once a term is less than a tree's path once an
// entry.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

inline constexpr std::size_t kTermStarts = 64;

// Of kTermStarts numbers, aligned to 64 bytes.
std::uint64_t least_start(const std::uint64_t* starts);
// Bit i: starts[i] == start.
std::uint64_t equal_starts(const std::uint64_t* starts, std::uint64_t start);

// The same without vectors: for other CPUs, and tests.
std::uint64_t least_start_portable(const std::uint64_t* starts);
std::uint64_t equal_starts_portable(const std::uint64_t* starts, std::uint64_t start);

}  // namespace spillway
