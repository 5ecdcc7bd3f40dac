// Sorts lines in device memory: text goes up while it is read, the device finds the lines, sorts them and gathers them
// in order, and sorted text comes down while it is written. The host holds no text but two buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// Lines compare as unsigned bytes.
struct DeviceLineOrder {
  std::uint8_t line_end = '\n';
  bool is_descending = false;
  bool is_unique = false;  // one of equal lines is kept
};

struct LineDeviceOptions {
  int gpu = 0;
  const DeviceStringSorter* sorter = nullptr;
  std::size_t buffer_bytes = 0;  // of each of two pinned buffers; a multiple of 4096
  std::size_t memory_bytes = 0;  // of the device; 0: four fifths of what is free
  DeviceLineOrder order;
};

// For each block: next_input() and add(), again and again, then sort(), then next_output() until it is empty. Not
// thread-safe, but any thread may call. All functions throw GpuError, also for a line longer than half of a buffer;
// then what the device holds is lost.
class LineDevice {
 public:
  virtual ~LineDevice() = default;
  // A buffer for the next text; empty if another one might not fit the device's memory. Lives until the next call.
  virtual std::span<std::uint8_t> next_input() = 0;
  // Takes the first `bytes` of the buffer. Lines may go on in the next buffer.
  virtual void add(std::size_t bytes) = 0;
  // Sorts the lines that are whole, and forgets what follows the last line end. Returns the bytes of the sorted lines
  // that are kept, with their ends.
  virtual std::uint64_t sort() = 0;
  // Those of the block that sort() sorted, until next_output() has given the last of them; with those that are dropped.
  virtual std::uint64_t lines() const = 0;
  // The next sorted lines, whole ones; empty at the end, and from then on a new block begins. Lives until the next
  // call.
  virtual std::span<const std::uint8_t> next_output() = 0;
};

// Allocates all device memory. In a program without CUDA: GpuError.
std::unique_ptr<LineDevice> make_line_device(const LineDeviceOptions& options);

}  // namespace spillway
