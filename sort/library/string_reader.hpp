// Finds packed strings in text, and unpacks them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sort/lines/block/line_ends.hpp"

namespace spillway {

// take() text, then next() until it returns false, again and again. Not thread-safe.
class StringReader {
 public:
  // Whole packed strings, which outlive the views of them.
  void take(std::span<const std::uint8_t> text);
  // Goes to the next string; false at the end of the text.
  bool next() {
    if (end_ == ends_found_ && !find_ends()) return false;
    const std::uint8_t* const end = window_ + ends_[end_++];
    const std::string_view packed(reinterpret_cast<const char*>(begin_), static_cast<std::size_t>(end - begin_));
    begin_ = end + 1;
    if (has_reserved_) {
      unpack_parts(packed);
    } else {
      string_ = packed;
    }
    return true;
  }
  // Views live until the next call of next() or take().
  std::string_view string() const { return string_; }
  std::string_view value() const { return value_; }

 private:
  bool find_ends();
  void unpack_parts(std::string_view packed);

  const std::uint8_t *begin_ = nullptr, *text_end_ = nullptr;  // the strings that are left
  // Where strings end is found in a window at a time.
  const std::uint8_t *window_ = nullptr, *next_window_ = nullptr;
  LineEnds ends_;
  std::size_t end_ = 0, ends_found_ = 0;
  bool has_reserved_ = false;  // in the text
  std::string_view string_, value_;
  std::string unpacked_string_, unpacked_value_;
};

}  // namespace spillway
