// The memory that long lines take: beside the text of a block, in runs and in a merge. So a sort knows before it makes
// a copy of a line whether it fits, and names a budget that suffices if it does not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/base/error.hpp"
#include "sort/lines/keys/key_encoder.hpp"

namespace spillway {

// A line is long if it has so many bytes together with its encoded keys. The memory that is kept free for usual lines
// has room for copies of shorter ones.
inline constexpr std::size_t kLongLine = std::size_t{128} << 10;

// The longest one of some long lines, and the most bytes of encoded keys; zeros if there are none.
struct LongestLine {
  std::size_t line = 0, keys = 0;
  std::size_t record() const { return line + keys; }
  bool is_long() const { return record() >= kLongLine; }
  void add(const LongestLine& other) {
    line = std::max(line, other.line);
    keys = std::max(keys, other.keys);
  }
};

// The least line that may be long.
inline std::size_t least_long_line(const KeyEncoder& encoder) { return kLongLine / (1 + encoder.most_growth()); }
// The line and its keys if it is long, otherwise zeros.
LongestLine measure_long(std::string_view line, const KeyEncoder& encoder);

// Lines, and encoded keys of lines, that something keeps.
struct LineCopies {
  std::size_t lines = 0, keys = 0;
};

// Memory in bytes, for the lines of a sort. The encoder outlives it.
class LongLineCosts {
 public:
  // `output`: what the output keeps; `head`: what the choice of the first lines keeps, between blocks, too.
  explicit LongLineCosts(const KeyEncoder& encoder, LineCopies output = {}, LineCopies head = {})
      : encoder_(&encoder), output_(output), head_(head) {}

  // Beside a block that is written as it is.
  std::size_t in_memory(const LongestLine& longest) const;
  // Beside a block that becomes a run, if `slices` lines are encoded at once.
  std::size_t to_run(const LongestLine& longest, std::size_t slices = 1) const;
  // All memory that lines of this length need if they go to runs: in the block, beside it, and in the merge.
  std::size_t spilled(const LongestLine& longest) const;
  // Returns the bytes that a block of `block_bytes` leaves free: those that a run needs if they fit, otherwise those
  // that the output needs.
  std::size_t reserve(const LongestLine& longest, std::size_t block_bytes) const;
  // Returns the bytes that outputs, and the choice of the first lines, keep.
  std::size_t kept(const LongestLine& longest) const;
  bool has_head() const { return head_.lines != 0; }
  // Returns the bytes that a line takes on its way to its record.
  std::size_t encoding(const LongestLine& longest) const;

 private:
  bool places_keys() const { return encoder_->has_keys() && !encoder_->is_view(); }
  std::size_t in_block(const LongestLine& longest) const { return longest.line + (places_keys() ? longest.keys : 0); }

  const KeyEncoder* encoder_;
  LineCopies output_, head_;
};

// A line, where it stands in an input. Bytes are those of the text, without the end of the line.
struct LinePlace {
  std::string input;  // "-" is standard input
  std::uint64_t begin = 0, bytes = 0;
};

class LineTooLongError : public BudgetError {
 public:
  LineTooLongError(std::size_t line_bytes, std::size_t needed_bytes)
      : BudgetError("a line of " + std::to_string(line_bytes) + " bytes does not fit the memory of the sort"),
        line_bytes_(line_bytes),
        needed_bytes_(needed_bytes) {}
  std::size_t line_bytes() const { return line_bytes_; }
  // Memory for lines that is enough.
  std::size_t needed_bytes() const { return needed_bytes_; }
  LineTooLongError with_need(std::size_t bytes) const {
    LineTooLongError error(*this);
    error.needed_bytes_ = bytes;
    return error;
  }

 private:
  std::size_t line_bytes_, needed_bytes_;
};

// Lengths of lines, of keys, of records, which hold both, and of blocks of runs have 32 bits. A block holds one record
// after those that do not fill it, which have a few MiB together; so both must leave room for them.
inline constexpr std::size_t kMostLineBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMostKeyBytes = std::size_t{2} << 30;
// Throw BudgetError.
void check_line_bytes(std::size_t bytes);
void check_key_bytes(std::size_t bytes);

// The C library would keep freed memory of long lines for later ones. From now on large memory is mapped, and goes back
// to the system when it is freed. Thread-safe.
void map_large_memory();

}  // namespace spillway
