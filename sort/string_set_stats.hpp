// Figures that say how hard a set of strings is to sort: sizes, distinguishing prefixes, tie lengths. Published with
// every result of a string sorter.
#pragma once

#include <cstdint>
#include <span>

#include "sort/interface/string_sorter.hpp"

namespace spillway {

struct StringSetStats {
  std::uint64_t count = 0, bytes = 0;
  std::uint64_t least_bytes = 0, most_bytes = 0;  // of a string
  // Sum, over all strings, of the bytes that tell the string from the others: its longest common prefix with another
  // string and, if it is longer, one byte more.
  std::uint64_t distinguishing_bytes = 0;
  // A string's tie length is the mean of its common prefixes with the strings before and after it in sorted order
  // (Deshpande and Narayanan 2013, IV.G). The first and the last string have one neighbour.
  double mean_tie_bytes = 0, max_tie_bytes = 0;
  std::uint32_t max_lcp_bytes = 0;
};

// `order` and `lcps`: the result of StringSorter::sort. O(count).
StringSetStats string_set_stats(std::span<const StringRef> strings, std::span<const std::uint32_t> order,
                                std::span<const std::uint32_t> lcps);

}  // namespace spillway
