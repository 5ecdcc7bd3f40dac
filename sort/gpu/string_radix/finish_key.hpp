// Keys of the finishing kernels of gpu-string-radix: unchanged bytes, because these kernels compare keys. Step logic.
#pragma once

#include <cstdint>

#include "sort/gpu/string/words.hpp"

namespace spillway {

inline constexpr std::uint32_t kFinishKeyBytes = 7;

// The finishing kernel leaves a segment to comparisons with pivots if it is not sorted after kMostFinishRounds, or if
// its strings share more keys than kMostFinishSteps. It leaves no strings of up to kMostFinishBytes.
inline constexpr std::uint32_t kMostFinishRounds = 32, kMostFinishSteps = 256;
inline constexpr std::uint32_t kMostFinishBytes = kMostFinishRounds * kFinishKeyBytes;

// Returns seven bytes and below them their number, or 8 if the string goes on. Missing bytes are 0, so that keys
// compare as the strings do.
SPILLWAY_HOST_DEVICE inline std::uint64_t make_finish_key(const DeviceString& string, const UnalignedWord& word,
                                                          std::uint32_t depth) {
  const std::uint32_t left = string.bytes - depth;
  const std::uint64_t bytes = big_endian(word, string.data + depth, left < kFinishKeyBytes ? left : kFinishKeyBytes);
  return bytes | (left <= kFinishKeyBytes ? left : kFinishKeyBytes + 1);
}
// The same for a string's second code (sort/gpu/string_radix/order_preserving_code.hpp) instead of bytes.
SPILLWAY_HOST_DEVICE inline std::uint64_t make_finish_key(std::uint32_t code) {
  return std::uint64_t{code >> 1} << 8 | ((code & 1) != 0 ? kFinishKeyBytes + 1 : 0);
}
// Returns whether the strings of this key are equal, and so final.
SPILLWAY_HOST_DEVICE inline bool has_finish_key_ended(std::uint64_t key) { return (key & 255) <= kFinishKeyBytes; }

// Places [begin, end) of a tile.
struct FinishRange {
  std::uint32_t begin;
  std::uint32_t end;
};

// Returns where `key` would be inserted into the sorted keys of the range: after the keys equal to it where these count
// as before it, else before them. O(log size).
enum class Equal { kBefore, kAfter };
SPILLWAY_HOST_DEVICE inline std::uint32_t place_in_sorted(const std::uint64_t* keys, FinishRange range,
                                                          std::uint64_t key, Equal equal) {
  while (range.begin < range.end) {
    const std::uint32_t middle = range.begin + (range.end - range.begin) / 2;
    const bool is_before = keys[middle] < key || (equal == Equal::kBefore && keys[middle] == key);
    range.begin = is_before ? middle + 1 : range.begin;
    range.end = is_before ? range.end : middle;
  }
  return range.begin;
}

// Returns where the key at `place` goes when sorted runs of `width` keys, counted from the segment's begin, are merged
// in pairs. Stable.
SPILLWAY_HOST_DEVICE inline std::uint32_t place_after_merge(const std::uint64_t* keys, FinishRange segment,
                                                            std::uint32_t place, std::uint32_t width) {
  const std::uint32_t run = (place - segment.begin) / width, begin = segment.begin + run * width;
  const bool is_right = run % 2 == 1;
  if (!is_right && segment.end - begin <= width) return place;
  const std::uint32_t other = is_right ? begin - width : begin + width, left = segment.end - other;
  const std::uint32_t before = place_in_sorted(keys, {other, other + (left < width ? left : width)}, keys[place],
                                               is_right ? Equal::kBefore : Equal::kAfter) -
                               other;
  return place - (is_right ? width : 0) + before;
}

// The same for a sort of each kCountedKeys keys, by counting the keys that come before. O(kCountedKeys).
inline constexpr std::uint32_t kCountedKeys = 32;
SPILLWAY_HOST_DEVICE inline std::uint32_t place_by_count(const std::uint64_t* keys, FinishRange segment,
                                                         std::uint32_t place) {
  const std::uint64_t key = keys[place];
  const std::uint32_t begin = segment.begin + (place - segment.begin) / kCountedKeys * kCountedKeys;
  const std::uint32_t end = segment.end - begin < kCountedKeys ? segment.end : begin + kCountedKeys;
  std::uint32_t before = 0;
  for (std::uint32_t at = begin; at < place; ++at) before += keys[at] <= key ? 1 : 0;
  for (std::uint32_t at = place + 1; at < end; ++at) before += keys[at] < key ? 1 : 0;
  return begin + before;
}

}  // namespace spillway
