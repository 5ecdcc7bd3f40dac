// The lists of a merge that its lanes have in their own memory: what the threads know of them. Lists are numbered in
// the order of their terms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "merge/index/batch_arrays.hpp"

namespace spillway {

// Sums over fragments.
struct HeldSize {
  std::uint64_t posting_bytes = 0, distance_bytes = 0, postings = 0, occurrences = 0;
};

// A list is described by the sums over all lists before it.
struct HeldList {
  HeldSize before;
  std::uint64_t first_term_byte = 0;
  std::uint32_t first_entry = 0, unused = 0;
};

struct HeldLists {
  std::span<const HeldList> lists;  // one more than there are
  std::span<const char> terms;

  std::size_t count() const { return lists.size() - 1; }
  std::string_view term(std::size_t list) const {
    return {terms.data() + lists[list].first_term_byte, lists[list + 1].first_term_byte - lists[list].first_term_byte};
  }
  // The first list whose term is not below `term`. O(log lists).
  std::size_t find(std::string_view term) const {
    std::size_t low = 0, high = count();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (this->term(middle) < term) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  // Requires: fits(begin, end, ...) for some arrays.
  BatchSize size(std::size_t begin, std::size_t end) const {
    const HeldList &from = lists[begin], &to = lists[end];
    return {static_cast<std::uint32_t>(to.before.posting_bytes - from.before.posting_bytes),
            static_cast<std::uint32_t>(to.before.distance_bytes - from.before.distance_bytes),
            static_cast<std::uint32_t>(end - begin),
            to.first_entry - from.first_entry,
            static_cast<std::uint32_t>(to.before.postings - from.before.postings),
            static_cast<std::uint32_t>(to.before.occurrences - from.before.occurrences)};
  }
  // Whether lists [begin, end) are no larger than what a lane collects in these arrays.
  bool fits(std::size_t begin, std::size_t end, const BatchArrays& arrays) const {
    const HeldList &from = lists[begin], &to = lists[end];
    return to.before.posting_bytes - from.before.posting_bytes <= arrays.postings.size() &&
           to.before.distance_bytes - from.before.distance_bytes <= arrays.distances.size() &&
           to.before.postings - from.before.postings <= arrays.postings.size() &&
           to.first_term_byte - from.first_term_byte <= arrays.postings.size() &&  // as BatchCollector::room_for_list()
           to.before.occurrences - from.before.occurrences <= std::numeric_limits<std::uint32_t>::max() &&
           to.first_entry - from.first_entry < arrays.fragments.size() && end - begin < arrays.lists.size();
  }
  // The end of the most lists from `begin` on, up to `end`, that fit; `begin` where the first does not. O(log lists).
  std::size_t fitting_end(std::size_t begin, std::size_t end, const BatchArrays& arrays) const {
    std::size_t fit = begin;
    for (std::size_t left = end - begin; left != 0;) {
      const std::size_t half = (left + 1) / 2;
      if (fits(begin, fit + half, arrays)) {
        fit += half;
        left -= half;
      } else {
        left = half - 1;
      }
    }
    return fit;
  }
};

}  // namespace spillway
