// The lines of one sorted input as records, for a merge.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "io/memory/budget.hpp"
#include "sort/lines/block/input.hpp"
#include "sort/lines/keys/key_encoder.hpp"
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
  std::size_t buffer_bytes;  // of a cursor, at first
  InputCounts& counts;       // of what all cursors have read
  // Called with the bytes of a buffer that takes more, for a line that is longer.
  std::function<void(std::size_t)> grows;
};

// Not thread-safe. Reads buffer_bytes ahead.
class InputCursor {
 public:
  InputCursor(LineInput input, const CursorResources& resources);

  // Reads the first lines. Returns false if there are none.
  bool open();
  // Goes to the next line; false at the end. Throws IoError, and BudgetError for a line that does not fit.
  bool next();
  // Views live until the next call of next().
  Record record() const;
  // Bytes that the record shares with the one before it; 0 for the first.
  std::uint32_t shared() const { return shared_; }

 private:
  bool has_keys() const { return resources_->encoder.has_keys(); }
  std::string_view line() const;
  void read_more();
  void grow();
  void make_record(std::string_view last_line);

  LineInput input_;
  const CursorResources* resources_;
  Buffer buffer_;
  std::size_t begin_ = 0, end_ = 0, filled_ = 0;  // begin and end of the line, its end included; bytes that were read
  std::string key_and_line_, last_key_and_line_;
  std::uint32_t key_bytes_ = 0, shared_ = 0;
  bool is_at_end_ = false;
};

}  // namespace spillway
