// Where sorted lines go, and how a sorted block is written: threads gather lines into chunks, and write them at their
// places where the output has places.
#pragma once

#include <cstdint>
#include <span>

#include "sort/lines/block.hpp"

namespace spillway {

class LineOutput {
 public:
  virtual ~LineOutput() = default;
  // Whether write_at() can be used. If not, write() is called in order, by one thread at a time. Both get whole lines.
  virtual bool has_places() const = 0;
  virtual void write(std::span<const std::uint8_t> bytes) = 0;
  // Thread-safe. Offsets count from where this sort's output begins.
  virtual void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) = 0;
};

// Writes all lines of a sorted block. Parallel; memory: 1 MiB for each of 2 * threads + 2 chunks.
// Returns the number of bytes.
std::uint64_t write_block(const LineBlock& block, LineOutput& output);

}  // namespace spillway
