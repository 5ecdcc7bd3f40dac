// What makes a set of strings easy or hard to sort: size, distinguishing prefix, tie lengths. They go with every result
// of a string sorter.
#pragma once

#include <cstdint>
#include <span>

#include "sort/interface/string_sorter.hpp"

namespace spillway {

struct StringSetStats {
  std::uint64_t count = 0, bytes = 0;
  std::uint64_t least_bytes = 0, most_bytes = 0;  // of a string
  // Bytes to read of all strings to place each among the others: of a string the longest common prefix with another and
  // one byte more, if it has one.
  std::uint64_t distinguishing_bytes = 0;
  // A string's tie length is the mean of its common prefixes with the strings before and after it in sorted order
  // (Deshpande and Narayanan 2013, IV.G); the first and the last string have one neighbour.
  double mean_tie_bytes = 0, max_tie_bytes = 0;
  std::uint32_t max_lcp_bytes = 0;
};

// order and lcps as StringSorter::sort leaves them. O(count).
StringSetStats string_set_figures(std::span<const StringRef> strings, std::span<const std::uint32_t> order,
                                  std::span<const std::uint32_t> lcps);

}  // namespace spillway
