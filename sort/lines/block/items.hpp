// The in-memory sort moves items instead of lines. An item is 16 bytes that tell where a string stands, how long it is,
// and its next 8 bytes, so that most comparisons touch no text (caching multikey quicksort, Ng and Kakehi 2008). A
// string is a line, a part of it, or its encoded keys.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
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

// The strings of the items of one text: whole lines, views of keys in them, or encoded keys after heads. Eight bytes
// after each string, and kKeyHeadBytes before encoded keys, must be readable. Thread-safe; text and encoder outlive it.
class ItemStrings {
 public:
  enum class Kind : std::uint8_t { kLines, kViews, kEncoded };
  ItemStrings(Kind kind, const std::uint8_t* text, LineFormat format, const KeyEncoder& encoder)
      : text_(text), encoder_(&encoder), kind_(kind), format_(format) {}

  Kind kind() const { return kind_; }
  const std::uint8_t* text() const { return text_; }
  // Remembers the lengths of long strings, by offset; others must be found anew each time. The span outlives this.
  void know(std::span<const LongString> long_strings) { long_strings_ = long_strings; }
  const std::uint8_t* data(const LineItem& item) const { return text_ + (item.place >> kBytesBits); }
  std::uint32_t bytes(const LineItem& item) const {
    const auto known = static_cast<std::uint32_t>(item.place & kManyBytes);
    return known != kManyBytes ? known : many_bytes(item);
  }
  std::string_view view(const LineItem& item) const { return {reinterpret_cast<const char*>(data(item)), bytes(item)}; }
  // The cache at `depth`. Requires: depth <= bytes(item).
  std::uint64_t load(const LineItem& item, std::uint32_t depth) const {
    const std::uint32_t left = bytes(item) - depth;
    const std::uint64_t loaded = __builtin_bswap64(load_le<std::uint64_t>(data(item) + depth));
    if (left >= kCachedBytes) return loaded;
    return left == 0 ? 0 : loaded & ~std::uint64_t{0} << (64 - 8 * left);
  }
  // 0 to 8: the string ends after this many bytes of its cache at `depth`; 9: it goes on. Orders strings with equal
  // caches, whose zeros may be bytes or the end.
  std::uint32_t end_class(const LineItem& item, std::uint32_t depth) const {
    return std::min(bytes(item) - depth, kGoesOn);
  }
  static constexpr std::uint32_t kGoesOn = kCachedBytes + 1;
  // Whether a's string comes before b's. Requires: both strings have at least `from` bytes, and share the first `from`.
  bool is_less(const LineItem& a, const LineItem& b, std::uint32_t from) const {
    const std::uint32_t bytes_a = bytes(a), bytes_b = bytes(b), both = std::min(bytes_a, bytes_b);
    const std::uint8_t *const of_a = data(a), *const of_b = data(b);
    for (std::uint32_t at = from; at < both; at += kCachedBytes) {
      const std::uint64_t next_a = load_le<std::uint64_t>(of_a + at), next_b = load_le<std::uint64_t>(of_b + at);
      if (next_a == next_b) continue;
      if (at + static_cast<std::uint32_t>(std::countr_zero(next_a ^ next_b)) / 8 >= both) break;
      return __builtin_bswap64(next_a) < __builtin_bswap64(next_b);
    }
    return bytes_a < bytes_b;
  }

  // The item of the whole line that the string is of; its cache is not set.
  LineItem line(const LineItem& item) const;

 private:
  std::uint32_t many_bytes(const LineItem& item) const;
  std::uint32_t find_many_bytes(std::uint64_t offset) const;
  std::uint32_t bytes_of_line(std::uint64_t begin, std::uint64_t from) const;
  LineItem line_around(std::uint64_t offset) const;

  const std::uint8_t* text_;
  const KeyEncoder* encoder_;
  Kind kind_;
  LineFormat format_;
  std::span<const LongString> long_strings_ = {};
};

}  // namespace spillway
