// Walks the blocks of one kind of a run in file order. Checks each header against its CRC before it uses a length from
// it, and each payload before it returns it. For the cursors of io/run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/run/reader.hpp"

namespace spillway {

class RunBlockReader {
 public:
  // Starts at block `number`, which is at `offset`. `kind` is a block kind of run_layout.
  RunBlockReader(const RunReader& run, std::uint8_t kind, std::uint64_t offset, std::uint64_t number);
  ~RunBlockReader();  // leaves a full-size buffer of term blocks to the next cursor
  RunBlockReader(const RunBlockReader&) = delete;
  RunBlockReader& operator=(const RunBlockReader&) = delete;

  // Moves to the next block of the kind; false after the last block of the run. Throws FormatError.
  bool next();
  // The block's bytes, at least one. Valid until the next call of next().
  std::span<const std::uint8_t> payload() const { return payload_; }
  std::uint32_t count() const { return header_.count; }
  std::uint64_t offset() const { return offset_; }  // of its header in the file

 private:
  struct Header {
    std::uint8_t kind = 0;
    std::uint32_t bytes = 0, count = 0, crc = 0, payload_crc = 0;
  };
  void read_header();
  void load_payload();
  void move_past(std::size_t bytes);
  const std::uint8_t* ensure(std::size_t bytes);
  std::size_t full_buffer_bytes() const;
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;

  const RunReader& run_;
  std::uint8_t kind_;
  std::uint64_t offset_;  // of the current block
  std::uint64_t next_offset_, next_number_;
  bool skipping_ = false;  // the previous block was of another kind: read headers only
  Header header_;
  std::vector<std::uint8_t> buffer_;  // file bytes [next_offset_, + buffer_end_ - buffer_begin_)
  std::size_t buffer_begin_ = 0, buffer_end_ = 0;
  std::span<const std::uint8_t> payload_;
};

}  // namespace spillway
