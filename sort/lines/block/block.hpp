// A block of lines in memory: its text is split into parts whose order is known, and sorted part by part while sorted
// parts go out. If all input fits one block, it is the whole sort; otherwise each block becomes a run
// (sort/lines/runs/run.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/memory/budget.hpp"
#include "sort/interface/string_sorter.hpp"
#include "sort/lines/block/items.hpp"
#include "sort/lines/block/padded_copy.hpp"
#include "sort/lines/block/text.hpp"
#include "sort/lines/keys/key_encoder.hpp"

namespace spillway {

// fill(), arrange(), then sort_part() and line() for each part, again and again. Works in parallel inside the calling
// thread's TBB arena. Encoder and sorter outlive it.
class LineBlock {
 public:
  // `sorter` null: the block sorts by itself, which is faster.
  LineBlock(MemoryBudget& budget, std::size_t bytes, const LineOrder& order, const KeyEncoder& encoder,
            const StringSorter* sorter, bool maps_inputs = false, std::optional<LongLineCosts> costs = {});
  LineBlock(const LineBlock&) = delete;
  LineBlock& operator=(const LineBlock&) = delete;

  // As LineText has them.
  bool fill(LineSource& input) { return text_.fill(input); }
  void allow_growth(std::function<std::size_t(std::size_t)> grow) { text_.allow_growth(std::move(grow)); }
  bool has_all() const { return text_.has_all(); }
  [[noreturn]] void refuse(LineSource& input) { text_.refuse(input); }
  const LongestLine& longest() const { return text_.longest(); }
  std::span<const std::uint8_t> pending() const { return text_.pending(); }
  void drop_pending() { text_.drop_pending(); }
  void leave_for_last(std::size_t bytes) { text_.leave_for_last(bytes); }
  void shrink(std::size_t bytes) { text_.shrink(bytes); }
  std::size_t used_bytes() const { return text_.used_bytes(); }
  void drop_free_pages() { text_.drop_free_pages(); }
  std::size_t lines() const { return text_.lines(); }
  std::size_t text_bytes() const { return text_.text().size(); }
  std::size_t most_usual_record() const { return text_.most_usual_record(); }
  // Memory that neither text nor what sorting needs takes.
  std::size_t free_bytes() { return text_.free().size() - std::min(text_.free().size(), bytes_for(text_.lines())); }
  LineFormat format() const { return line_order_.format; }
  // Splits the lines into parts, in the order of the output.
  void arrange();

  std::size_t parts() const { return parts_.size(); }
  // Drops all parts after the first ones.
  void keep_parts(std::size_t parts) { parts_.resize(parts); }
  // Sorts the lines of a part, and drops those that are not wanted, unless that is done. Thread-safe for different
  // parts.
  void sort_part(std::size_t part);
  // Bytes of the part's lines, with a line end for each; once it is sorted, of those that were not dropped.
  std::uint64_t part_bytes(std::size_t part) const { return parts_[part].bytes; }
  std::uint64_t bytes_of_parts() const;
  // The number of lines of a sorted part.
  std::size_t size(std::size_t part) const { return parts_[part].end - parts_[part].begin; }
  // The lines of a sorted part, in the order of the output.
  class PartLines {
   public:
    // kCopyPadding bytes after its line end are readable.
    std::string_view operator[](std::size_t i) const { return block_->texts_.view(item(i)); }
    // Loads bytes of lines [begin, end): the first one, and the one after the last; of a line of kManyBytes or more,
    // one inside. The text's padding makes the last one readable.
    void load_early(std::size_t begin, std::size_t end) const {
      for (std::size_t i = begin; i != end; ++i) block_->load_line_early(item(i));
    }

   private:
    friend class LineBlock;
    PartLines(const LineBlock& block, const LineItem* first, std::ptrdiff_t step)
        : block_(&block), first_(first), step_(step) {}
    const LineItem& item(std::size_t i) const { return first_[static_cast<std::ptrdiff_t>(i) * step_]; }

    const LineBlock* block_;
    const LineItem* first_;
    std::ptrdiff_t step_;
  };
  PartLines lines_of(std::size_t part) const {
    const Part& of = parts_[part];
    if (of.is_one_line) return {*this, items_.data() + of.first, 0};
    if (!is_descending_ || of.begin == of.end) return {*this, items_.data() + of.begin, 1};
    return {*this, items_.data() + of.end - 1, -1};
  }
  std::string_view line(std::size_t part, std::size_t i) const { return lines_of(part)[i]; }
  // The text, if it is in order as it was read.
  std::span<const std::uint8_t> text_in_order() const {
    const TextOrder wanted = is_descending_ ? TextOrder::kDescends : TextOrder::kAscends;
    return text_order_ == wanted ? text_.text() : std::span<const std::uint8_t>();
  }

 private:
  // Items [begin, end).
  struct Part {
    std::size_t begin = 0, end = 0;
    std::uint64_t bytes = 0;
    // kSorted: by their strings. kSortLines: items are whole lines. kNone: and sorted.
    enum class Work : std::uint8_t { kSorted, kSort, kSortLines, kTakeFromText, kNone } work = Work::kSorted;
    std::size_t first = 0, last = 0;  // leaves, or a piece; or `first` is the item that stands for all
    bool is_one_line = false;         // repeated
  };
  struct Leaf {
    std::size_t begin, end;
    std::uint32_t depth;
    bool has_lines;
    std::uint64_t bytes = 0;
    bool is_one_line = false;  // its first item stands for all
  };
  enum class TextOrder : std::uint8_t { kNone, kAscends, kDescends };

  std::size_t bytes_for(std::size_t lines) const;
  bool drops_lines() const { return line_order_.is_unique; }
  bool has_keys() const { return encoder_.has_keys(); }
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
  void add_repeated_parts(const Leaf& leaf);
  void add_sorted_parts(std::size_t begin, std::size_t end, bool has_lines);
  void load_line_early(const LineItem& item) const {
    spillway::load_early(texts_.data(item));
    spillway::load_early(texts_.data(item) + (item.place & kManyBytes));
  }
  void load_texts(const Part& part) const;
  void take_from_text(const Part& part);
  std::size_t end_of_equal(const LineItem& item, std::size_t from, std::size_t end) const;
  void find_lines(std::span<LineItem> items) const;
  void take_lines(Part& part);
  void order_equal(std::span<LineItem> items) const;

  const LineOrder& line_order_;
  const KeyEncoder& encoder_;
  const StringSorter* sorter_;
  bool is_descending_;
  LineText text_;  // its free memory: [ items | their leaves | what a named sorter needs ]
  TextOrder text_order_ = TextOrder::kNone;
  ItemStrings strings_, texts_;  // what is compared, and the lines
  std::vector<LongString> long_strings_, long_lines_;
  std::span<LineItem> items_;
  std::span<std::uint16_t> leaves_;
  std::vector<Leaf> leaves_of_items_;
  std::vector<Part> parts_;
};

}  // namespace spillway
