// A block of lines in memory: filled from the inputs, sorted, and handed out in order. If all input fits one block, it
// is the whole sort; otherwise each block becomes a run (sort/lines/run.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/memory/budget.hpp"
#include "sort/interface/string_sorter.hpp"
#include "sort/lines/input.hpp"
#include "sort/lines/key_encoder.hpp"

namespace spillway {

// fill(), sort(), then at() and line(), again and again. Not thread-safe; works in parallel inside the calling thread's
// TBB arena. Encoder and sorter outlive it.
class LineBlock {
 public:
  LineBlock(MemoryBudget& budget, std::size_t bytes, const LineOrder& order, const KeyEncoder& encoder,
            const StringSorter& sorter);

  // Takes lines from `input`, and those that were left, until the memory is full. Returns false if there were none.
  // Throws BudgetError for a line that does not fit alone, and as much memory as `grow` allows.
  bool fill(LineInput& input);
  // Asked with the bytes that a line needs, if it does not fit alone: whether the block may take them.
  void allow_growth(std::function<bool(std::size_t)> grow) { grow_ = std::move(grow); }
  // Whether the last fill() met the end of the input.
  bool has_all() const { return is_at_end_ && pending_bytes_ == 0; }
  void sort();

  // Of the records that order the lines: keys, if there are any, and texts.
  std::size_t record_bytes() const;
  std::size_t longest_line() const { return longest_line_; }  // once sorted
  // Once sorted: the number of lines to put out, and the i-th of them, its line end included.
  std::size_t size() const { return order_.size(); }
  const StringRef& line(std::size_t i) const { return lines_[index(i)]; }
  // Its key, as KeyEncoder::append() makes it or as a view. Requires: the encoder has keys, and ties are not broken.
  const StringRef& key(std::size_t i) const { return keys_[index(i)]; }
  // The text, if it is in order as it was read.
  std::span<const std::uint8_t> text_in_order() const {
    return is_in_order_ && !is_descending_ && order_.size() == line_count_ ? buffer_.span().first(text_bytes_)
                                                                           : std::span<const std::uint8_t>();
  }
  void prefetch_reference(std::size_t i) const { __builtin_prefetch(&lines_[index(i)]); }
  void prefetch_text(std::size_t i) const {
    const StringRef& line = lines_[index(i)];
    __builtin_prefetch(line.data);
    if (line.bytes > 64) __builtin_prefetch(line.data + line.bytes - 1);
  }

 private:
  // Consecutive lines of the text, and their keys.
  struct Piece {
    std::size_t begin, end;  // in the text
    std::size_t lines = 0;
    std::uint8_t* keys = nullptr;
  };
  std::size_t index(std::size_t i) const { return order_[is_descending_ ? order_.size() - 1 - i : i]; }
  std::size_t bytes_for(std::size_t lines) const;
  std::size_t room() const;
  std::size_t key_bytes() const { return static_cast<std::size_t>(buffer_.data() + buffer_.size() - top_); }
  std::size_t expected_text() const;
  std::size_t step_bytes() const;
  bool admit(std::size_t bytes);
  bool admit_some();
  bool grow();
  std::size_t lines_end(std::size_t bytes) const;
  std::size_t line_end(std::size_t from) const;
  std::vector<Piece> cut(std::size_t bytes) const;
  bool place_keys(std::vector<Piece>& pieces);
  bool append_key(Piece& piece, std::string& keys) const;
  void make_references();
  bool find_order(std::span<const StringRef> strings);
  void mark_equal(std::span<const StringRef> strings);
  bool is_marked(std::size_t i) const { return (marks_[i / 64] >> (i % 64) & 1) != 0; }
  void drop_marked();
  void break_ties();
  void break_tie(std::size_t begin, std::size_t end);
  void break_large_tie(std::size_t begin, std::size_t end, std::span<std::uint8_t> scratch);
  [[noreturn]] void refuse_line() const;

  const LineOrder& line_order_;
  const KeyEncoder& encoder_;
  const StringSorter& sorter_;
  MemoryBudget& budget_;
  bool is_descending_, has_blobs_;
  // [ text | pending text | free | keys, growing down ], and once sorted, between text and keys:
  // [ lines | keys | order | marks | scratch of the sorter ]
  Buffer buffer_;
  std::size_t text_bytes_ = 0, pending_bytes_ = 0, line_count_ = 0, longest_line_ = 0;
  std::uint8_t* top_;
  std::vector<Piece> pieces_;
  std::function<bool(std::size_t)> grow_;
  bool is_at_end_ = false, is_in_order_ = false;
  std::span<StringRef> lines_, keys_;
  std::span<std::uint32_t> order_, spare_order_;
  std::span<std::uint64_t> marks_;
  std::span<std::uint8_t> scratch_;
};

}  // namespace spillway
