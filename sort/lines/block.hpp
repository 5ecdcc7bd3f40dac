// A block of lines in memory: filled from the inputs, split into parts whose order is known, and sorted part by part
// while sorted parts go out. If all input fits one block, it is the whole sort; otherwise each block becomes a run
// (sort/lines/run.hpp).
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
#include "sort/lines/items.hpp"
#include "sort/lines/key_encoder.hpp"
#include "sort/lines/line_ends.hpp"
#include "sort/lines/splitter_tree.hpp"

namespace spillway {

// fill(), arrange(), then sort_part() and line() for each part, again and again. Works in parallel inside the calling
// thread's TBB arena. Encoder and sorter outlive it.
class LineBlock {
 public:
  // `sorter` null: the block sorts by itself, which is faster.
  LineBlock(MemoryBudget& budget, std::size_t bytes, const LineOrder& order, const KeyEncoder& encoder,
            const StringSorter* sorter);

  // Takes lines from `input`, and those that were left, until the memory is full. Returns false if there were none.
  // Throws BudgetError for a line that does not fit alone, and as much memory as `grow` allows.
  bool fill(LineInput& input);
  // Asked with the bytes that a line needs, if it does not fit alone: whether the block may take them.
  void allow_growth(std::function<bool(std::size_t)> grow) { grow_ = std::move(grow); }
  // Whether the last fill() met the end of the input.
  bool has_all() const { return is_at_end_ && pending_bytes_ == 0; }
  // Splits the lines into parts, in the order of the output.
  void arrange();

  std::size_t parts() const { return parts_.size(); }
  // Sorts the lines of a part, and drops those that are not wanted. Once for each part; thread-safe for different
  // parts.
  void sort_part(std::size_t part);
  // Bytes of the part's lines, with a line end for each; once it is sorted, of those that were not dropped.
  std::uint64_t part_bytes(std::size_t part) const { return parts_[part].bytes; }
  // Of a sorted part: the number of its lines, and the i-th one; kCopyPadding bytes after its line end are readable.
  std::size_t size(std::size_t part) const { return parts_[part].end - parts_[part].begin; }
  std::string_view line(std::size_t part, std::size_t i) const { return texts_.view(items_[index(part, i)]); }
  void prefetch(std::size_t part, std::size_t i) const {
    const LineItem& item = items_[index(part, i)];
    __builtin_prefetch(texts_.data(item));
    __builtin_prefetch(texts_.data(item) + (item.place & kManyBytes));
  }
  // The text, if it is in order as it was read.
  std::span<const std::uint8_t> text_in_order() const {
    const TextOrder wanted = is_descending_ ? TextOrder::kDescends : TextOrder::kAscends;
    return text_order_ == wanted ? buffer_.span().first(text_bytes_) : std::span<const std::uint8_t>();
  }

 private:
  // Consecutive lines of the text, and their keys.
  struct Piece {
    std::size_t begin, end;  // in the text
    std::size_t lines = 0;
    std::uint8_t* keys = nullptr;
    std::size_t first_line = 0;
  };
  // Items [begin, end).
  struct Part {
    std::size_t begin, end;
    std::uint64_t bytes = 0;
    enum class Work : std::uint8_t { kSorted, kSort, kTakeFromText } work = Work::kSorted;
    std::size_t first = 0, last = 0;  // leaves, or a piece
  };
  struct Leaf {
    std::size_t begin, end;
    std::uint32_t depth;
    std::uint64_t bytes = 0;
  };
  enum class TextOrder : std::uint8_t { kNone, kAscends, kDescends };

  std::size_t index(std::size_t part, std::size_t i) const {
    return is_descending_ ? parts_[part].end - 1 - i : parts_[part].begin + i;
  }
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
  [[noreturn]] void refuse_line() const;

  bool drops_lines() const { return line_order_.is_unique; }
  bool has_keys() const { return encoder_.has_keys(); }
  template <typename Take>
  void for_each_item(const Piece& piece, const Take& take) const;
  template <typename Take>
  void for_each_batch(std::span<const Piece> pieces, const Take& take) const;
  void place_items();
  void find_long_strings();
  TextOrder find_text_order() const;
  bool ascends(const LineItem& a, const LineItem& b) const;
  void add_text_parts();
  std::vector<LineItem> sample_places(std::size_t count) const;
  std::vector<LineItem> sample_lines(std::size_t count) const;
  std::vector<LineItem> take_sample(std::size_t count) const;
  void split();
  void sort_by_sorter();

  void add_leaf_parts();
  void add_sorted_parts(std::size_t begin, std::size_t end);
  void take_from_text(const Part& part);
  void take_lines(Part& part);
  void order_equal(std::span<LineItem> items) const;

  const LineOrder& line_order_;
  const KeyEncoder& encoder_;
  const StringSorter* sorter_;
  MemoryBudget& budget_;
  bool is_descending_, has_blobs_;
  // [ text | pending text | free | keys, growing down ], and once arranged, between text and keys: [ items | their
  // leaves ]
  Buffer buffer_;
  std::size_t text_bytes_ = 0, pending_bytes_ = 0, line_count_ = 0;
  std::uint8_t* top_;
  std::vector<Piece> pieces_;
  std::function<bool(std::size_t)> grow_;
  bool is_at_end_ = false;
  TextOrder text_order_ = TextOrder::kNone;
  ItemStrings strings_, texts_;  // what is compared, and the lines
  std::vector<LongString> long_strings_, long_lines_;
  std::span<LineItem> items_;
  std::span<std::uint16_t> leaves_;
  std::vector<Leaf> leaves_of_items_;
  std::vector<Part> parts_;
};

}  // namespace spillway
