#include "sort/cpu/string_items.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::uint32_t kParallelStrings = 32u << 10;  // strings per task

template <typename T>
std::uint64_t big_endian(const std::uint8_t* from) {
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(load_le<std::uint64_t>(from));
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(load_le<std::uint32_t>(from));
  return __builtin_bswap16(load_le<std::uint16_t>(from));
}

template <typename Body>
void for_each_range(std::uint32_t begin, std::uint32_t end, const Body& body) {
  if (end - begin <= kParallelStrings) {
    body(begin, end);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<std::uint32_t>(begin, end, kParallelStrings),
                    [&](const tbb::blocked_range<std::uint32_t>& range) { body(range.begin(), range.end()); });
}

}  // namespace

// Two overlapping loads if the string ends before: byte_prefix and shared_bytes (io/base/bytes.hpp), which have more
// branches, cost up to 20 % of a sort of strings with random bytes or lengths (1 Mi strings, one core).
std::uint64_t load_cache(const StringRef& string, std::uint32_t depth) {
  const std::uint8_t* const from = string.data + depth;
  const std::uint32_t left = string.bytes - depth;
  if (left >= 8) return big_endian<std::uint64_t>(from);
  if (left >= 4) {
    return big_endian<std::uint32_t>(from) << 32 | big_endian<std::uint32_t>(from + left - 4) << (8 * (8 - left));
  }
  if (left >= 2) {
    return big_endian<std::uint16_t>(from) << 48 | big_endian<std::uint16_t>(from + left - 2) << (8 * (8 - left));
  }
  return left == 0 ? 0 : std::uint64_t{*from} << 56;
}

std::uint32_t common_prefix(const StringRef& a, const StringRef& b, std::uint32_t from, std::uint32_t limit) {
  const std::uint32_t end = std::min({a.bytes, b.bytes, limit});
  std::uint32_t at = from;
  for (; at + 8 <= end; at += 8) {
    const std::uint64_t differing = load_le<std::uint64_t>(a.data + at) ^ load_le<std::uint64_t>(b.data + at);
    if (differing != 0) return at + static_cast<std::uint32_t>(std::countr_zero(differing)) / 8;
  }
  while (at < end && a.data[at] == b.data[at]) ++at;
  return at;
}

void StringSort::load_all(std::span<StringItem> items) const {
  for_each_range(0, static_cast<std::uint32_t>(strings_.size()), [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i != end; ++i) items[i] = {load_cache(strings_[i], 0), i, strings_[i].bytes};
  });
}

std::uint32_t StringSort::shared_prefix(StringSegment segment, std::span<const StringItem> items) const {
  const StringRef& first = strings_[items[segment.begin].index];
  const auto scan = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t shared) {
    for (std::uint32_t i = begin; i != end && shared != segment.depth; ++i) {
      shared = common_prefix(first, strings_[items[i].index], segment.depth, shared);
    }
    return shared;
  };
  if (segment.size() <= kParallelStrings) return scan(segment.begin + 1, segment.end, first.bytes);
  return tbb::parallel_reduce(
      tbb::blocked_range<std::uint32_t>(segment.begin + 1, segment.end, kParallelStrings), first.bytes,
      [&](const tbb::blocked_range<std::uint32_t>& range, std::uint32_t shared) {
        return scan(range.begin(), range.end(), shared);
      },
      [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); });
}

bool StringSort::deepen(StringSegment& segment, std::span<StringItem> items) const {
  segment.depth += kCacheBytes;
  segment.depth = shared_prefix(segment, items);
  const auto ended = [&](const StringItem& item) { return item.bytes == segment.depth; };
  if (std::all_of(items.begin() + segment.begin, items.begin() + segment.end, ended)) {
    emit(segment, items);
    return false;
  }
  for_each_range(segment.begin, segment.end, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i != end; ++i) items[i].cache = load_cache(strings_[items[i].index], segment.depth);
  });
  return true;
}

bool StringSort::split_ended(StringSegment& segment, std::span<StringItem> items, std::span<StringItem> spare) const {
  std::array<std::uint32_t, kGoesOn + 1> next{};
  for (std::uint32_t i = segment.begin; i != segment.end; ++i) ++next[cache_class(items[i], segment.depth)];
  const std::uint32_t going_on = next[kGoesOn];
  if (going_on != segment.size() && std::find(next.begin(), next.end(), segment.size()) == next.end()) {
    std::uint32_t place = segment.begin;
    for (std::uint32_t& count : next) place += std::exchange(count, place);
    for (std::uint32_t i = segment.begin; i != segment.end; ++i) {
      spare[next[cache_class(items[i], segment.depth)]++] = items[i];
    }
    std::copy(spare.begin() + segment.begin, spare.begin() + segment.end, items.begin() + segment.begin);
  }
  const std::uint32_t final_end = going_on >= 2 ? segment.end - going_on : segment.end;
  emit({segment.begin, final_end, segment.depth}, items);
  segment.begin = final_end;
  return segment.size() != 0;
}

void StringSort::finish_small(StringSegment segment, std::span<StringItem> items,
                              std::vector<StringSegment>& todo) const {
  const std::uint32_t depth = segment.depth;
  for (std::uint32_t i = segment.begin + 1; i < segment.end; ++i) {
    const StringItem item = items[i];
    const std::uint32_t item_class = cache_class(item, depth);
    std::uint32_t at = i;
    while (at > segment.begin &&
           (items[at - 1].cache > item.cache ||
            (items[at - 1].cache == item.cache && cache_class(items[at - 1], depth) > item_class))) {
      items[at] = items[at - 1];
      --at;
    }
    items[at] = item;
  }
  emit(segment, items);
  // Among equal caches, the strings that go on stand last; they form a group that begins at the first of them.
  for (std::uint32_t begin = segment.begin; begin != segment.end;) {
    std::uint32_t end = begin + 1;
    if (cache_class(items[begin], depth) == kGoesOn) {
      while (end != segment.end && items[end].cache == items[begin].cache) ++end;
      if (end - begin >= 2) todo.push_back({begin, end, depth});
    }
    begin = end;
  }
}

void compute_lcps(std::span<const StringRef> strings, std::span<const std::uint32_t> order,
                  std::span<std::uint32_t> lcps) {
  if (lcps.empty()) return;
  lcps[0] = 0;
  for_each_range(1, static_cast<std::uint32_t>(order.size()), [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      lcps[i] = common_prefix(strings[order[i - 1]], strings[order[i]], 0, UINT32_MAX);
    }
  });
}

void check_string_spans(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                        std::span<std::uint32_t> lcps) {
  if (strings.size() > UINT32_MAX) {
    throw UsageError("a string sorter orders at most 4294967295 strings at once; it was given " +
                     std::to_string(strings.size()) + ": split the set");
  }
  if (order.size() != strings.size() || (!lcps.empty() && lcps.size() != strings.size())) {
    throw std::logic_error("a string sorter needs room for the order (and LCPs) of all strings");
  }
}

}  // namespace spillway
