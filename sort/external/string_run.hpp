// Sorted runs of (text, number) in scratch files: front-coded, in blocks with a CRC. A process reads only the runs that
// it wrote, so the format may change at any time. O(bytes).
//
//   block: u32 payload bytes, u32 CRC32C over block number, payload bytes and payload; payload
//   the payloads make one stream of entries: varint shared bytes, varint suffix bytes, varint number, suffix
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "io/file/file_system.hpp"

namespace spillway {

inline constexpr std::size_t kMaxSortedStringBytes = 65535;

// The caller gives the memory: `block` for the current block, `text` (as long as the longest string) for the last
// string.
class StringRunWriter {
 public:
  StringRunWriter(WritableFile& file, std::span<std::uint8_t> block, std::span<std::uint8_t> text);

  // Texts ascend; equal texts ascend by number.
  void add(std::string_view text, std::uint32_t number);
  // Writes the rest. Does not close the file.
  void finish();
  std::uint64_t count() const { return count_; }

 private:
  void append(std::span<const std::uint8_t> bytes);
  void write_block();
  WritableFile& file_;
  std::span<std::uint8_t> block_, text_;
  std::size_t used_ = 0, text_bytes_ = 0;
  std::uint64_t count_ = 0, block_number_ = 0;
};

// Reads a run of `count` entries. Memory as above. Throws FormatError for a block that differs from what was written.
class StringRunReader {
 public:
  StringRunReader(const ReadableFile& file, std::uint64_t count, std::span<std::uint8_t> block,
                  std::span<std::uint8_t> text);

  // Returns false at the end. Views live until the next call.
  bool next();
  std::string_view text() const { return {reinterpret_cast<const char*>(text_.data()), text_bytes_}; }
  std::uint32_t number() const { return number_; }

 private:
  void load_block();
  std::uint64_t read_number();
  void read_suffix(std::uint8_t* to, std::size_t bytes);
  [[noreturn]] void fail(const std::string& expected) const;
  const ReadableFile& file_;
  std::span<std::uint8_t> block_, text_;
  const std::uint8_t *at_ = nullptr, *end_ = nullptr;
  std::size_t text_bytes_ = 0;
  std::uint32_t number_ = 0;
  std::uint64_t left_, offset_ = 0, block_number_ = 0;
};

}  // namespace spillway
