// The memory of a parsed chunk: a buffer, or a piece of a slab (indexer/chunk/pinned_slot_pool.hpp) with a buffer for
// what does not fit behind its tokens.
#pragma once

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

}  // namespace spillway
