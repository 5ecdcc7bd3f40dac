// The text of a block: lines as they are read, cut into pieces, and the encoded keys of its lines.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/base/byte_order.hpp"
#include "io/memory/budget.hpp"
#include "sort/interface/scratch.hpp"
#include "sort/lines/block/input.hpp"
#include "sort/lines/block/items.hpp"
#include "sort/lines/block/line_ends.hpp"
#include "sort/lines/block/padded_copy.hpp"
#include "sort/lines/keys/key_encoder.hpp"
#include "sort/lines/keys/long_lines.hpp"

namespace spillway {

// Consecutive lines of a text, and their encoded keys, if there are any.
struct TextPiece {
  std::size_t begin, end;  // in the text
  std::size_t lines = 0;
  std::uint8_t* keys = nullptr;
  std::size_t first_line = 0;        // its number
  LongestLine longest = {};          // of long ones
  std::size_t long_keys = 0;         // bytes of all encoded keys of long lines, at most
  std::size_t longest_of_usual = 0;  // bytes of a line that is not long, with its encoded key; may be 0 for short lines
};

// fill(), then the rest, again and again. Works in parallel inside the calling thread's TBB arena.
class LineText {
 public:
  struct Format {
    LineFormat lines;
    const KeyEncoder& encoder;                               // outlives the text
    std::function<std::size_t(std::size_t)> bytes_for = {};  // free memory that the owner needs for so many lines
    bool maps_inputs = false;  // a first input file that fits may be mapped; otherwise all are read
    LongLineCosts costs;
  };
  LineText(MemoryBudget& budget, std::size_t bytes, Format format);

  // Takes lines from `input`, and those that were left, until the memory is full. Returns false if there were none.
  // Call input.end_mappings() before the text is destroyed.
  // Throws LineTooLongError for a line that does not fit alone, and as much memory as `grow` allows.
  bool fill(LineSource& input);
  // Reads the rest of the input, and throws LineTooLongError with the memory that all of it needs.
  [[noreturn]] void refuse(LineSource& input);
  // Asked with the bytes that a line may need, if it does not fit alone: how many the text may take; 0: no more.
  void allow_growth(std::function<std::size_t(std::size_t)> grow) { grow_ = std::move(grow); }
  // Whether the last fill() met the end of the input.
  bool has_all() const { return is_at_end_ && pending_bytes_ == 0; }
  // Text that was read and not taken: the next fill() begins with it, unless it is dropped. Then the input, which may
  // have ended, is asked anew.
  std::span<const std::uint8_t> pending() const { return buffer_.span().subspan(text_bytes_, pending_bytes_); }
  void drop_pending() {
    pending_bytes_ = 0;
    is_at_end_ = false;
  }

  // If more is left than fits a block, the next fill() leaves to the one after it, which is the last one and has
  // `bytes`, about as many lines as fit that; 0: the next fill() takes as many lines as it can.
  void leave_for_last(std::size_t bytes) { last_block_bytes_ = bytes; }

  // Drops the lines, keeps what is pending, and gives memory back to the budget, so that `bytes` are left. Requires:
  // what is pending fits, and no file is mapped.
  void shrink(std::size_t bytes);

  // Memory that the lines take, with what their owner needs for them; the rest may be given back to the system until
  // the next fill().
  std::size_t used_bytes() const { return used_end() + key_bytes(); }
  void drop_free_pages();

  // All of these hold until the next fill(). Offsets of items count from data().
  const std::uint8_t* data() const { return buffer_.data(); }
  std::span<const std::uint8_t> text() const { return buffer_.span().first(text_bytes_); }
  std::size_t lines() const { return line_count_; }
  const LongestLine& longest() const { return longest_; }
  // At least the bytes of each line that is not long, together with its keys; shorter lines are not measured.
  static constexpr std::size_t kShortLine = std::size_t{4} << 10;
  std::size_t most_usual_record() const;
  std::span<const TextPiece> pieces() const { return pieces_; }
  // The memory that is left, aligned; kCopyPadding bytes stand between the text and it.
  std::span<std::uint8_t> free();

  // Calls take(item, bytes of the line and its end) for each line of a piece: as many as TextPiece::lines says, also if
  // mapped text has changed since. Caches are not set.
  template <typename Take>
  void for_each_item(const TextPiece& piece, const Take& take) const;
  // Calls take(LineBatch) for at most kBatch lines of some pieces at once.
  template <typename Take>
  void for_each_batch(std::span<const TextPiece> pieces, const Take& take) const;
  static constexpr std::size_t kBatch = 256;

 private:
  void drop_lines();
  std::size_t room() const;
  // Memory that lines need beside their text and keys.
  std::size_t needed(std::size_t lines, const LongestLine& longest) const {
    return bytes_for_(lines) + costs_.reserve(longest, buffer_.size());
  }
  template <typename Take>
  void for_each_line_from(std::size_t least, const TextPiece& piece, const Take& take) const;
  void measure(TextPiece& piece) const;
  std::size_t free_begin() const { return round_to_scratch_alignment(text_bytes_ + pending_bytes_ + kCopyPadding); }
  std::size_t used_end() const { return free_begin() + bytes_for_(line_count_); }
  void use_large_pages_for_lines();
  std::size_t key_bytes() const { return static_cast<std::size_t>(buffer_.data() + buffer_.size() - top_); }
  std::size_t expected_text() const;
  std::size_t step_bytes() const;
  std::size_t least_step(const LineSource& input) const;
  std::size_t bytes_before_last(const LineSource& input) const;
  // Memory that a byte of text takes with its keys and lines. Requires: there are lines.
  double memory_of_byte() const {
    return 1 + static_cast<double>(key_bytes() + bytes_for_(line_count_)) / static_cast<double>(text_bytes_);
  }
  bool admit(std::size_t bytes);
  bool admit_some();
  bool grow();
  bool fits_as_file(std::optional<std::uint64_t> bytes) const;
  std::size_t lines_end(std::size_t bytes) const;
  std::size_t line_end(std::size_t from) const;
  std::size_t line_end(std::size_t from, std::size_t last) const;
  std::size_t line_bytes_before(std::size_t begin, std::size_t end) const;
  std::vector<TextPiece> cut(std::size_t bytes) const;
  bool place_keys(std::vector<TextPiece>& pieces);
  void append_key(TextPiece& piece, std::size_t end, std::string& keys) const;
  void number_lines();

  const KeyEncoder& encoder_;
  MemoryBudget& budget_;
  std::function<std::size_t(std::size_t)> bytes_for_;
  LineFormat lines_;
  bool has_blobs_;
  // [ text | pending text | free | keys, growing down ]
  Buffer buffer_;
  std::size_t text_bytes_ = 0, pending_bytes_ = 0, line_count_ = 0;
  std::uint8_t* top_;
  std::vector<TextPiece> pieces_;
  bool maps_inputs_, may_be_mapped_ = false;
  std::vector<Buffer> mapped_before_;  // as long as the input guards them
  LongLineCosts costs_;
  // Of the lines that were taken.
  LongestLine longest_;
  std::size_t longest_of_usual_ = 0;
  std::function<std::size_t(std::size_t)> grow_;
  // Text with its keys, and lines, of earlier fills: for the message of refuse().
  std::size_t earlier_bytes_ = 0, earlier_lines_ = 0;
  LongestLine earlier_longest_;
  bool is_at_end_ = false;
  std::size_t last_block_bytes_ = 0;
};

template <typename Take>
void LineText::for_each_item(const TextPiece& piece, const Take& take) const {
  const std::uint8_t *const text = buffer_.data(), *from = text + piece.begin, *key = piece.keys;
  const std::size_t end_bytes = lines_.end_bytes();
  std::size_t left = piece.lines;
  const auto take_line = [&](const std::uint8_t* end) {
    if (left == 0) return;
    --left;
    const auto offset = static_cast<std::uint64_t>(from - text), bytes = static_cast<std::uint64_t>(end - from);
    const std::uint64_t all = bytes + end_bytes;
    if (has_blobs_) {
      const auto key_bytes = load_le<std::uint32_t>(key + sizeof(std::uint64_t));
      key += kKeyHeadBytes;
      take(LineItem{0, item_place(static_cast<std::uint64_t>(key - text), key_bytes)}, all);
      key += key_bytes;
    } else if (encoder_.has_keys()) {
      const std::string_view found = encoder_.view({reinterpret_cast<const char*>(from), bytes});
      const auto* const begin = reinterpret_cast<const std::uint8_t*>(found.data());
      take(LineItem{0, item_place(static_cast<std::uint64_t>(begin - text), found.size())}, all);
    } else {
      take(LineItem{0, item_place(offset, bytes)}, all);
    }
    from = end + end_bytes;
  };
  if (!lines_.has_ends()) {
    while (left != 0) take_line(from + lines_.record_bytes);
    return;
  }
  for_each_line_end(from, text + piece.end, lines_.line_end, take_line);
  while (left != 0) {
    take_line(std::max(from, text + piece.end - end_bytes));
    from = text + piece.end;
  }
}

template <typename Take>
void LineText::for_each_batch(std::span<const TextPiece> pieces, const Take& take) const {
  std::array<LineItem, kBatch> items;
  std::array<std::uint64_t, kBatch> bytes;
  for (const TextPiece& piece : pieces) {
    std::size_t count = 0, first = piece.first_line;
    std::uint64_t begin = piece.begin, end = piece.begin;
    const auto hand_on = [&] {
      take(LineBatch{std::span(items).first(count), std::span(bytes).first(count), begin, first, lines_.end_bytes()});
      first += std::exchange(count, 0);
      begin = end;
    };
    for_each_item(piece, [&](const LineItem& item, std::uint64_t line_bytes) {
      items[count] = item;
      bytes[count] = line_bytes;
      end += line_bytes;
      if (++count == items.size()) hand_on();
    });
    hand_on();
  }
}

}  // namespace spillway
