// Reads the records of a plain file that start in a range, through one buffer. Its steps are small enough that the
// bytes are still in the cache when they are parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "corpora/document/record_source.hpp"
#include "corpora/reader/task.hpp"
#include "corpora/records/borders.hpp"

namespace spillway {

class PlainRangeReader {
 public:
  static constexpr std::size_t kStepBytes = std::size_t{128} << 10;

  struct Block {
    std::string_view bytes;    // whole records, up to a border or the end of the file; empty: a record is too long
    std::uint64_t offset = 0;  // of the first record in the file
  };

  // `buffer`: at least 64 bytes and kRecordPadding.
  PlainRangeReader(const PlainRange& range, std::span<std::uint8_t> buffer);

  // The offset of the first record that begins in the range; nullopt if none does. Requires: before next().
  std::optional<std::uint64_t> first_record();
  // Returns the next records of the range; nullopt at its end. After a block without bytes, the caller finds the end of
  // the record at its offset and calls skip_to().
  std::optional<Block> next();
  // Requires: the offset of the start of a record after the last block.
  void skip_to(std::uint64_t offset);

 private:
  bool find_first_record();
  bool starts_with_mark() const;
  std::optional<Block> take_block();
  bool read_more();
  void note_searched();
  std::uint64_t buffer_end() const { return buffer_offset_ + filled_; }
  // The bytes in the buffer from an offset in the file on.
  std::string_view bytes_from(std::uint64_t offset) const;

  const PlainRange& range_;
  const RecordBorders borders_;
  std::span<std::uint8_t> buffer_;
  std::size_t capacity_;
  std::uint64_t end_;
  std::uint64_t position_;       // offset of the next record
  std::uint64_t buffer_offset_;  // offset of buffer_[0] in the file
  std::size_t filled_ = 0;
  std::uint64_t search_from_;  // no record begins between position_ and here
  bool found_first_ = false;
};

// Offset of the record after the one at `begin`, or the end of the file. Requires: a buffer of at least 64 bytes.
std::uint64_t find_next_record(const PlainRange& range, std::uint64_t begin, std::span<std::uint8_t> buffer,
                               PassProgress& progress);

}  // namespace spillway
