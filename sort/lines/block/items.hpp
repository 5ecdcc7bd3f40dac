// The in-memory sort moves items instead of lines. An item is 16 bytes that tell where a string stands, how long it is,
// and its next 8 bytes, so that most comparisons touch no text (caching multikey quicksort, Ng and Kakehi 2008). A
// string is a line, a part of it, or its encoded keys.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

#include "io/base/byte_order.hpp"
#include "sort/lines/keys/key_encoder.hpp"

namespace spillway {

struct LineItem {
  std::uint64_t cache;  // bytes [depth, depth + 8) of the string, big-endian; zeros after its end
  std::uint64_t place;  // offset << 24 | bytes; longer strings have kManyBytes
};

inline constexpr std::uint32_t kCachedBytes = 8;
inline constexpr unsigned kBytesBits = 24;
inline constexpr std::uint32_t kManyBytes = (std::uint32_t{1} << kBytesBits) - 1;
inline constexpr std::uint64_t kMostItemOffset = (std::uint64_t{1} << (64 - kBytesBits)) - 1;

inline constexpr std::uint64_t item_place(std::uint64_t offset, std::uint64_t bytes) {
  return offset << kBytesBits | std::min<std::uint64_t>(bytes, kManyBytes);
}

// A string of kManyBytes or more.
struct LongString {
  std::uint64_t offset;
  std::uint32_t bytes;
};

// Before encoded keys stand the place of their line and the number of their bytes.
inline constexpr std::size_t kKeyHeadBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);

// Eight bytes of text, with a to z in upper case.
inline std::uint64_t fold_case(std::uint64_t text) {
  constexpr std::uint64_t kEach = 0x0101010101010101, kHigh = 0x80 * kEach;
  const std::uint64_t low = text & ~kHigh;
  const std::uint64_t from_a = low + (0x80 - 'a') * kEach, after_z = low + (0x7f - 'z') * kEach;
  return text - (((from_a ^ after_z) & ~text & kHigh) >> 2);  // 'a' - 'A' is 0x80 >> 2
}

// The strings of the items of one text: whole lines, views of keys in them, or encoded keys after heads. Views may be
// compared in upper case. Eight bytes after each string, and kKeyHeadBytes before encoded keys, must be readable.
// Thread-safe; text and encoder outlive it.
class ItemStrings {
 public:
  enum class Kind : std::uint8_t { kLines, kViews, kEncoded };
  ItemStrings(Kind kind, const std::uint8_t* text, LineFormat format, const KeyEncoder& encoder)
      : text_(text),
        encoder_(&encoder),
        kind_(kind),
        folds_(kind == Kind::kViews && encoder.folds_view()),
        format_(format) {}

  Kind kind() const { return kind_; }
  // Whether the strings are views in upper case.
  bool folds() const { return folds_; }
  const std::uint8_t* text() const { return text_; }
  // Remembers the lengths of long strings, by offset; others must be found anew each time. The span outlives this.
  // `most_line_bytes`: no line is longer, so that the borders of one are not looked for farther away where mapped text
  // has changed.
  void know(std::span<const LongString> long_strings, std::size_t most_line_bytes) {
    long_strings_ = long_strings;
    most_line_bytes_ = most_line_bytes;
  }
  const std::uint8_t* data(const LineItem& item) const { return text_ + (item.place >> kBytesBits); }
  std::uint32_t bytes(const LineItem& item) const {
    const auto known = static_cast<std::uint32_t>(item.place & kManyBytes);
    return known != kManyBytes ? known : many_bytes(item);
  }
  std::string_view view(const LineItem& item) const { return {reinterpret_cast<const char*>(data(item)), bytes(item)}; }
  // The cache at `depth`: 0 if the string has no more bytes.
  std::uint64_t load(const LineItem& item, std::uint32_t depth) const {
    const std::uint32_t left = left_after(item, depth);
    if (left == 0) return 0;
    const std::uint64_t loaded = __builtin_bswap64(load_text(data(item) + depth));
    return left >= kCachedBytes ? loaded : loaded & ~std::uint64_t{0} << (64 - 8 * left);
  }
  // 0 to 8: the string ends after this many bytes of its cache at `depth`; 9: it goes on. Orders strings with equal
  // caches, whose zeros may be bytes or the end.
  std::uint32_t end_class(const LineItem& item, std::uint32_t depth) const {
    return std::min(left_after(item, depth), kGoesOn);
  }
  static constexpr std::uint32_t kGoesOn = kCachedBytes + 1;
  // Less than 0 if a's string comes before b's, 0 if they are equal. Requires: both strings have at least `from` bytes,
  // and share the first `from`.
  int compare(const LineItem& a, const LineItem& b, std::uint32_t from) const {
    const std::uint32_t bytes_a = bytes(a), bytes_b = bytes(b), both = std::min(bytes_a, bytes_b);
    const std::uint8_t *const of_a = data(a), *const of_b = data(b);
    for (std::uint32_t at = from; at < both; at += kCachedBytes) {
      const std::uint64_t next_a = load_text(of_a + at), next_b = load_text(of_b + at);
      if (next_a == next_b) continue;
      if (at + static_cast<std::uint32_t>(std::countr_zero(next_a ^ next_b)) / 8 >= both) break;
      return __builtin_bswap64(next_a) < __builtin_bswap64(next_b) ? -1 : 1;
    }
    if (bytes_a == bytes_b) return 0;
    return bytes_a < bytes_b ? -1 : 1;
  }
  bool are_equal(const LineItem& a, const LineItem& b) const { return bytes(a) == bytes(b) && compare(a, b, 0) == 0; }
  // The number of first bytes that the strings share, at most `most`. Requires: they share the first `from`, and both
  // have at least `most`.
  std::uint32_t shared(const LineItem& a, const LineItem& b, std::uint32_t from, std::uint32_t most) const {
    const std::uint8_t *const of_a = data(a), *const of_b = data(b);
    for (std::uint32_t at = from; at < most; at += kCachedBytes) {
      const std::uint64_t differing = load_text(of_a + at) ^ load_text(of_b + at);
      if (differing != 0) return std::min(most, at + static_cast<std::uint32_t>(std::countr_zero(differing)) / 8);
    }
    return most;
  }

  // The item of the whole line that the string is of; its cache is not set.
  LineItem line(const LineItem& item) const;

 private:
  // A string of mapped text that has changed may be shorter than what it shared with others.
  std::uint32_t left_after(const LineItem& item, std::uint32_t depth) const {
    const std::uint32_t all = bytes(item);
    return all > depth ? all - depth : 0;
  }
  std::uint64_t load_text(const std::uint8_t* from) const {
    const auto loaded = load_le<std::uint64_t>(from);
    return folds_ ? fold_case(loaded) : loaded;
  }
  std::uint32_t many_bytes(const LineItem& item) const;
  std::uint32_t find_many_bytes(std::uint64_t offset) const;
  std::uint32_t bytes_of_line(std::uint64_t begin, std::uint64_t from) const;
  LineItem line_around(std::uint64_t offset) const;

  const std::uint8_t* text_;
  const KeyEncoder* encoder_;
  Kind kind_;
  bool folds_;
  LineFormat format_;
  std::span<const LongString> long_strings_ = {};
  std::size_t most_line_bytes_ = std::numeric_limits<std::uint32_t>::max();
};

// Lines that follow each other in a text: their strings, and the bytes of each with its end.
struct LineBatch {
  std::span<const LineItem> items;
  std::span<const std::uint64_t> line_bytes;
  std::uint64_t begin = 0;  // of the first line, in the text
  std::size_t first = 0;    // its number
  std::size_t end_bytes = 0;
  // Calls take(i, item of the whole line) for each line.
  template <typename Take>
  void for_each_line(const Take& take) const {
    std::uint64_t at = begin;
    for (std::size_t i = 0; i != items.size(); at += line_bytes[i++]) {
      take(i, LineItem{0, item_place(at, line_bytes[i] - end_bytes)});
    }
  }
};

}  // namespace spillway
