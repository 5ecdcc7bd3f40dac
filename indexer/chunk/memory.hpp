// The memory of a parsed chunk: a buffer, or a piece of a slab (indexer/chunk/pinned_slot_pool.hpp) with a buffer for
// what does not fit behind its tokens.
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
  ChunkMemory(PinnedSlotPool::Piece piece, Buffer rest) : piece_(std::move(piece)), buffer_(std::move(rest)) {}

  // Where its first part stands: the tokens of chunks of tokens.
  std::uint8_t* data() { return piece_.empty() ? buffer_.data() : piece_.span().data(); }
  // Of both.
  std::size_t size() const { return piece_.span().size() + buffer_.size(); }
  // Empty for chunks in none.
  std::span<std::uint8_t> slab() const { return piece_.slab(); }

 private:
  PinnedSlotPool::Piece piece_;
  Buffer buffer_;
};

// Places arrays one after the other in a chunk's memory. Requires: room for them, and arrays in descending order of
// their elements' sizes.
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
