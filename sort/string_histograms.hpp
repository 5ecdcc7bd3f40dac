// Histograms that say how a merge sort with cached prefixes fares on a set of strings: Davidson et al. 2012, figures
// 8b, 9a and 9b.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Element 0 counts the value 0, element b the values from 2^(b-1) to 2^b - 1.
using PowerHistogram = std::vector<std::uint64_t>;

struct StringHistograms {
  PowerHistogram lengths;       // of the strings, in bytes
  PowerHistogram ties;          // of each string with its neighbour in sorted order, rounded down, as in StringSetStats
  PowerHistogram equal_starts;  // lengths of maximal sequences of sorted strings with the same first four bytes
};

// `order`: the sorted order. O(bytes of the common prefixes).
StringHistograms string_histograms(std::span<const StringRef> strings, std::span<const std::uint32_t> order);

}  // namespace spillway
