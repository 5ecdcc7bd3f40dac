// Where sorted lines go, and how a block is written: threads sort parts of it, gather their lines, and write them at
// their places where the output has places.
#pragma once

#include <cstdint>
#include <span>

#include "sort/lines/block/block.hpp"

namespace spillway {

class LineOutput {
 public:
  virtual ~LineOutput() = default;
  // Whether write_at() can be used. If not, write() is called in order, by one thread at a time. Both get whole lines.
  virtual bool has_places() const = 0;
  virtual void write(std::span<const std::uint8_t> bytes) = 0;
  // Says how many bytes write_at() gets from now on, from the begin on, if nothing fails. What it got before may be
  // lost.
  virtual void expect_all(std::uint64_t) {}
  // Says, while no write is under way, that all writes up to the next call go to this range, and fill it. Returns
  // whether they become copies into the file's pages.
  virtual bool expect(std::uint64_t, std::size_t) { return false; }
  // Thread-safe. Offsets count from where this sort's output begins.
  virtual void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) = 0;
  // Whether what is still to come is not wanted, and need not be made. Thread-safe.
  virtual bool is_full() const { return false; }
};

// `offset` is where `bytes` stand in the output, which gets them by the call that serves it.
inline void put_text(LineOutput& output, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  if (output.has_places()) {
    output.write_at(offset, bytes);
  } else {
    output.write(bytes);
  }
}

// Sorts an arranged block and writes its lines, until the output is full. `drops_lines`: whether the order keeps one of
// equal lines. Parallel; memory: 512 KiB for each thread, and if the output has no places, for each of 2 * threads + 2
// parts. Returns the number of bytes.
std::uint64_t write_block(LineBlock& block, bool drops_lines, LineOutput& output);

}  // namespace spillway
