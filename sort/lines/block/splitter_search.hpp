// The inner loop of classifying strings: a search among the sorted splitters of nodes, for many strings side by side.
// The widest vector instructions of the CPU are chosen at run time; all paths give the same results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sort/lines/block/items.hpp"

namespace spillway {

// A node compares a string, whose first `depth` bytes are known, with 2^bits - 1 sorted splitters, each of which is a
// cache at `depth`. Its outcomes: for each splitter, and at last for what is greater than all, three: less, equal to it
// and ended, equal to it and longer.
struct SplitterNode {
  std::uint32_t depth, bits;
  std::uint64_t splitters, outcomes;  // indexes of its first ones
};

struct SplitterNodes {
  const SplitterNode* nodes;
  const std::uint64_t* splitters;
  const std::uint32_t* outcomes;
};

// Strings that are searched for at once.
inline constexpr std::size_t kSearchBatch = 32;

// Sets found[i] to the outcome of items[left[i]] at node at[i], for kSearchBatch strings; the same string may stand
// there several times.
using SplitterSearch = void (*)(const ItemStrings& strings, const SplitterNodes& tree, const LineItem* items,
                                const std::uint32_t* left, const std::uint32_t* at, std::uint32_t* found);

struct SplitterKernel {
  const char* name;  // portable, avx512
  SplitterSearch search;
};

// The fastest search that this CPU can run.
SplitterSearch splitter_search();
// All that this CPU can run, the portable one first: for tests and benchmarks.
std::span<const SplitterKernel> all_splitter_kernels();

}  // namespace spillway
