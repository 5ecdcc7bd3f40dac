// The memory of a parsed chunk: a buffer; or a slot with its tokens (indexer/chunk/pinned_slot_pool.hpp), and a buffer
// for the arrays that do not fit the slot.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "indexer/chunk/pinned_slot_pool.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

class ChunkMemory {
 public:
  ChunkMemory() = default;
  ChunkMemory(Buffer buffer) : buffer_(std::move(buffer)) {}
  ChunkMemory(PinnedSlotPool::Slot slot, Buffer rest) : slot_(std::move(slot)), buffer_(std::move(rest)) {}

  // The chunk's first array.
  std::uint8_t* data() { return slot_.empty() ? buffer_.data() : slot_.span().data(); }
  // Bytes of slot and buffer together.
  std::size_t size() const { return slot_.span().size() + buffer_.size(); }
  // The same with the rest of the last page, which small chunks should not ignore.
  std::size_t page_bytes() const { return (size() + kPageBytes - 1) / kPageBytes * kPageBytes; }
  // The region of the slot; empty without one.
  std::span<std::uint8_t> region() const { return slot_.region(); }

 private:
  static constexpr std::size_t kPageBytes = 4096;
  PinnedSlotPool::Slot slot_;
  Buffer buffer_;
};

// Places arrays one after the other in a chunk's memory. Requires: room for them, and an order in which each array's
// alignment divides the size of the arrays before it.
class ArrayWriter {
 public:
  explicit ArrayWriter(std::uint8_t* begin) : end_(begin) {}

  template <typename T>
  std::span<T> take(std::size_t count) {
    const std::span<T> array(reinterpret_cast<T*>(end_), count);
    end_ += array.size_bytes();
    return array;
  }
  template <typename T>
  std::span<const T> copy(std::span<const T> array) {
    const std::span<T> to = take<T>(array.size());
    std::copy(array.begin(), array.end(), to.begin());
    return to;
  }
  std::uint8_t* end() const { return end_; }

 private:
  std::uint8_t* end_;
};

}  // namespace spillway
