// The keys of a line as one byte string: comparing these strings by memcmp is comparing the lines by all their keys, so
// every string sorter and every merge serves every order.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sort/lines/keys/order.hpp"

namespace spillway {

// Thread-safe. The order outlives it.
class KeyEncoder {
 public:
  // `copies_folded`: a sorter that compares bytes as they stand needs copies of folded text.
  explicit KeyEncoder(const LineOrder& order, bool copies_folded = false);

  // Whether there are keys at all. If not, the lines are the strings to compare.
  bool has_keys() const { return !order_.keys.empty(); }
  // Whether the key is a part of the line as it stands, or in upper case: in memory, view() then serves without a copy.
  bool is_view() const { return is_view_; }
  bool folds_view() const { return folds_view_; }
  std::string_view view(std::string_view line) const {
    return find_key(line, order_.keys.front().place, order_.field_separator);
  }

  // Appends the string for all keys; no string is a prefix of another one. If the order is descending, greater strings
  // come first. O(line).
  void append(std::string_view line, std::string& out) const;
  // append() adds at most `most` bytes for a line, and exactly `most` if `is_exact`. O(line).
  struct KeyBytes {
    std::size_t most = 0;
    bool is_exact = true;
  };
  KeyBytes key_bytes(std::string_view line) const;
  // The same for lines that are not in memory: their bytes, those of 0 or 1, the digits, and how often digits begin.
  struct TextCounts {
    std::size_t bytes = 0, low = 0, digits = 0, numbers = 0;
    void add(std::string_view text);
  };
  std::size_t most_key_bytes(const TextCounts& line) const;
  // append() adds at most so many bytes for each byte of a line that has 1 KiB or more.
  std::size_t most_growth() const { return most_growth_; }
  // Returns the bytes that append() takes beside `out` for a line of `line_bytes`. A thread keeps those of short lines.
  std::size_t scratch_bytes(std::size_t line_bytes) const;

 private:
  struct Encoded {
    std::array<char, 256> fold{};
    std::array<bool, 256> is_ignored{};
    bool has_table = false, folds_text = false;  // not both
  };
  KeyBytes most_of(std::size_t number, const TextCounts& text) const;
  void append_one(std::size_t number, std::string_view text, std::string& out) const;
  void append_random(std::string_view text, std::string& out) const;

  const LineOrder& order_;
  bool is_view_ = false, folds_view_ = false;
  std::size_t most_growth_ = 0;
  std::vector<Encoded> tables_;
};

}  // namespace spillway
