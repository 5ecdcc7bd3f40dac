// CPU string sorters move items instead of strings. An item caches the next 8 bytes of its string as an integer, so
// most comparisons touch no string (caching multikey quicksort, Ng and Kakehi 2008; caching MSD radix sort, Drozd
// 2014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sort/interface/string_sorter.hpp"

namespace spillway {

inline constexpr std::uint32_t kCacheBytes = 8;

struct StringItem {
  std::uint64_t cache;  // bytes [depth, depth + 8) of the string, big-endian; zeros after its end
  std::uint32_t index;
  std::uint32_t bytes;  // length of the whole string
};

// Strings that share their first `depth` bytes and belong at [begin, end) of the result.
struct StringSegment {
  std::uint32_t begin, end;
  std::uint32_t depth;
  std::uint32_t size() const { return end - begin; }
};

// 0 to 8: the string ends after this many bytes of its cache at `depth`; 9: it goes on. Orders strings with equal
// caches, whose zeros may be bytes or the end, and says whose places are final.
inline constexpr std::uint32_t kGoesOn = kCacheBytes + 1;
inline std::uint32_t cache_class(const StringItem& item, std::uint32_t depth) {
  const std::uint32_t left = item.bytes - depth;
  return left < kGoesOn ? left : kGoesOn;
}

// The cache of a string at `depth`. Requires: depth <= string.bytes.
std::uint64_t load_cache(const StringRef& string, std::uint32_t depth);

// The length of the common prefix of a and b, at most `limit`. Requires: they share their first `from` bytes.
std::uint32_t common_prefix(const StringRef& a, const StringRef& b, std::uint32_t from, std::uint32_t limit);

// The strings and the result of one call of a sorter; shared by all its tasks.
class StringSort {
 public:
  StringSort(std::span<const StringRef> strings, std::span<std::uint32_t> order) : strings_(strings), order_(order) {}

  // Fills `items`, in index order, with the caches of all strings. Parallel.
  void load_all(std::span<StringItem> items) const;
  // Writes a segment whose items are in order to the result.
  void emit(StringSegment segment, std::span<const StringItem> items) const {
    for (std::uint32_t i = segment.begin; i != segment.end; ++i) order_[i] = items[i].index;
  }
  // Moves a segment, whose caches are equal and all go on, to the end of its longest common prefix and reloads the
  // caches. If the strings turn out to be equal, writes the result and returns false. Large segments run in parallel.
  bool deepen(StringSegment& segment, std::span<StringItem> items) const;
  // Writes those strings of a segment of equal caches that end in the cache, in order of length. Leaves the strings
  // that go on in `segment` and returns true if there are at least two. Stable; `spare` is scratch at the same places.
  bool split_ended(StringSegment& segment, std::span<StringItem> items, std::span<StringItem> spare) const;
  // Sorts a small segment by insertion sort on the caches, O(size^2). Appends groups of equal caches that go on to
  // `todo`; they need deepen().
  void finish_small(StringSegment segment, std::span<StringItem> items, std::vector<StringSegment>& todo) const;

 private:
  std::uint32_t shared_prefix(StringSegment segment, std::span<const StringItem> items) const;
  std::span<const StringRef> strings_;
  std::span<std::uint32_t> order_;
};

// Sets lcps[i] to the common prefix of the strings order[i-1] and order[i]. Parallel; O(sum of the prefixes).
void compute_lcps(std::span<const StringRef> strings, std::span<const std::uint32_t> order,
                  std::span<std::uint32_t> lcps);

// Throws UsageError for 2^32 strings or more, std::logic_error for spans of other sizes.
void check_string_spans(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                        std::span<std::uint32_t> lcps);

}  // namespace spillway
