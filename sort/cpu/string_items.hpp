// What the CPU string sorters move instead of strings: an item with the next 8 bytes as an integer, so that most
// comparisons touch no string (caching multikey quicksort, Ng and Kakehi 2008; caching MSD radix sort, Drozd 2014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sort/interface/string_sorter.hpp"

namespace spillway {

inline constexpr std::uint32_t kCacheBytes = 8;

struct StringItem {
  std::uint64_t cache;  // bytes [depth, depth + 8) of the string, big-endian, zeros behind its end
  std::uint32_t index;
  std::uint32_t bytes;  // length of the whole string
};

// Strings that share their first `depth` bytes and stand at [begin, end) of the result.
struct StringSegment {
  std::uint32_t begin, end;
  std::uint32_t depth;
  std::uint32_t size() const { return end - begin; }
};

// How a string relates to the cache window at `depth`: 0..8 = it ends with so many bytes in it, 9 = it goes on. Tells
// strings with equal caches apart where zeros may be bytes or the end, and says which are final.
inline constexpr std::uint32_t kGoesOn = kCacheBytes + 1;
inline std::uint32_t window_class(const StringItem& item, std::uint32_t depth) {
  const std::uint32_t left = item.bytes - depth;
  return left < kGoesOn ? left : kGoesOn;
}

// The next 8 bytes of the string from `depth` on as a number, zeros behind its end. Requires: depth <= string.bytes.
std::uint64_t load_cache(const StringRef& string, std::uint32_t depth);

// Bytes that a and b share from `from` on (they share all before), at most to `limit`; in whole-string bytes.
std::uint32_t common_prefix(const StringRef& a, const StringRef& b, std::uint32_t from, std::uint32_t limit);

// One call of a sorter: the strings, and where the result goes. Shared by all its tasks.
class StringSort {
 public:
  StringSort(std::span<const StringRef> strings, std::span<std::uint32_t> order) : strings_(strings), order_(order) {}

  // Fills `items` (in index order) with the caches of all strings. Parallel.
  void load_all(std::span<StringItem> items) const;
  // Writes the final places of a segment whose items are in order.
  void emit(StringSegment segment, std::span<const StringItem> items) const {
    for (std::uint32_t i = segment.begin; i != segment.end; ++i) order_[i] = items[i].index;
  }
  // Moves a segment of equal caches that all go on to the end of its longest common prefix and reloads the caches.
  // False, with the result written, where the strings turn out to be equal. Large segments in parallel.
  bool deepen(StringSegment& segment, std::span<StringItem> items) const;
  // Finishes a segment of equal caches: strings that end in the window are final, in order of length. Leaves in
  // `segment` those that go on, if there are at least two: then true. Stable; `spare` is scratch at the same places.
  bool split_ended(StringSegment& segment, std::span<StringItem> items, std::span<StringItem> spare) const;
  // Finishes a small segment by insertion sort on the caches. Groups of equal caches that go on are appended to `todo`;
  // they await deepen().
  void finish_small(StringSegment segment, std::span<StringItem> items, std::vector<StringSegment>& todo) const;

 private:
  std::uint32_t shared_prefix(StringSegment segment, std::span<const StringItem> items) const;
  std::span<const StringRef> strings_;
  std::span<std::uint32_t> order_;
};

// lcps[i] = common prefix of the strings order[i-1] and order[i]. Parallel.
void compute_lcps(std::span<const StringRef> strings, std::span<const std::uint32_t> order,
                  std::span<std::uint32_t> lcps);

// UsageError for more strings than a u32 can number, std::logic_error for spans that do not fit.
void check_string_spans(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                        std::span<std::uint32_t> lcps);

}  // namespace spillway
