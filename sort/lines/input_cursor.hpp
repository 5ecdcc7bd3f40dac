// The lines of one sorted input as records, for a merge or a check of their order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "io/memory/budget.hpp"
#include "sort/lines/block/input.hpp"
#include "sort/lines/keys/key_encoder.hpp"
#include "sort/lines/keys/long_lines.hpp"
#include "sort/lines/runs/run.hpp"

namespace spillway {

struct InputCounts {
  std::uint64_t bytes = 0, lines = 0;
};

// The cursors of one merge share this. It outlives them.
struct CursorResources {
  const LineOrder& order;
  const KeyEncoder& encoder;
  MemoryBudget& budget;
  std::size_t buffer_bytes;  // of a cursor, unless a line is longer
  InputCounts& counts;       // of what all cursors have read
  // Called with the bytes of memory that a longer line takes, before.
  std::function<void(std::size_t)> grows;
  // Called with each long line and the most bytes of its keys. Returns whether there is memory for what the caller
  // makes of it.
  std::function<bool(const LongestLine&)> takes_long = {};
};

// The longest lines of a cursor, and the memory beyond buffer_bytes that two neighbouring ones take.
struct CursorNeed {
  std::size_t bytes = 0;
  LongestLine longest;
  std::optional<LinePlace> place = {};  // of the longest line
};

// Not thread-safe. Reads buffer_bytes ahead, or an eighth of a longer line.
class InputCursor {
 public:
  InputCursor(LineInput input, const CursorResources& resources);

  // Reads the first lines. Returns false if there are none.
  bool open();
  // Goes to the next line; false at the end. Throws IoError, LineTooLongError, and BudgetError for a line that cannot
  // be sorted with any memory.
  bool next();
  // Views live until the next call of next(). The byte after a record is the end of its line.
  Record record() const;
  // The one before; empty for the first.
  Record last_record() const;
  // Bytes that the record shares with the one before it; 0 for the first.
  std::uint32_t shared() const { return shared_; }
  // The need of the lines that were read so far.
  CursorNeed need() const;
  // Reads the rest, and returns what all lines need. There are no records afterwards.
  CursorNeed survey();

 private:
  // A line of the buffer, its end included.
  struct Place {
    std::size_t begin = 0, end = 0;
  };
  // A record that stands outside the buffer, because it has keys.
  struct Keyed {
    std::string bytes;
    std::uint32_t key_bytes = 0;
    Reservation memory = {};
    // A string that is assigned an empty one would keep its memory.
    void release() {
      std::string().swap(bytes);
      memory.release();
    }
  };

  bool has_keys() const { return resources_->encoder.has_keys(); }
  std::string_view line(const Place& place) const;
  void read_more();
  void grow();
  void make_record();
  void prepare_long(const LongestLine& line);
  void note_line(std::size_t line_bytes, std::size_t key_bytes);
  void note_lines(std::string_view text);
  Reservation take(std::size_t bytes);

  LineInput input_;
  const CursorResources* resources_;
  Buffer buffer_;
  Place last_, line_;
  std::size_t filled_ = 0;  // bytes of the buffer that were read
  Keyed keyed_, last_keyed_;
  LongestLine longest_;
  KeyEncoder::TextCounts surveyed_;                     // of the last line
  std::size_t last_record_bytes_ = 0, most_bytes_ = 0;  // most_bytes_: that two neighbouring lines needed
  std::uint32_t shared_ = 0;
  bool is_at_end_ = false;
};

}  // namespace spillway
