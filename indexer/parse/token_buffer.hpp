// The tokens of a chunk (ChunkTokens::tokens) with their positions while they grow, in the memory that becomes the
// chunk's: a pinned slot while there are any, else a buffer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "indexer/chunk/parsed_chunk.hpp"
#include "indexer/parse/chunk_parser.hpp"
#include "indexer/parse/chunk_sizes.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

class TokenBuffer {
 public:
  // Besides the chunk's memory.
  static std::size_t memory_bytes(const ContentOptions& options, const ChunkLimits& limits);
  explicit TokenBuffer(const ChunkParserSetup& setup);

  // Returns whether `bytes` more bytes (separators included) and `tokens` more tokens fit. An empty buffer has room for
  // a range of text, and for the longest term.
  bool has_room(std::size_t bytes, std::size_t tokens) const {
    return used_ + bytes + slot_position_bytes_ * (count_ + tokens) <= capacity_ && count_ + tokens <= kMaxChunkTokens;
  }
  // Where the next bytes are written. kScanPadding bytes beyond the room may be overwritten. Requires: has_memory().
  std::uint8_t* end() { return tokens_ + used_; }
  bool has_memory() const { return tokens_ != nullptr; }
  void take_memory();

  // Adds bytes that were written at end(), with `tokens` tokens whose positions ascend by 1 from `position` on.
  void add(std::size_t bytes, std::size_t tokens, std::uint32_t position) {
    used_ += bytes;
    if (positions_ != nullptr) {
      for (std::size_t i = 0; i < tokens; ++i) positions_[count_ + i] = position + static_cast<std::uint32_t>(i);
    }
    count_ += tokens;
    // The sums leave out the last token, which may be removed again.
    token_sums_.follow({tokens_, used_ - std::min(used_, kShortTokenBytes)});
    if (positions_ != nullptr && count_ != 0) position_sums_.follow(bytes_of(positions().first(count_ - 1)));
  }
  // Removes the last token. Requires: it has at most kShortTokenBytes, and no zero follows it.
  void remove_last(std::size_t bytes) {
    used_ -= bytes;
    --count_;
  }

  // Returns the chunk of the tokens and of copies of the arguments' arrays. Leaves nothing, and no memory.
  ParsedChunk seal(const ChunkDocuments& documents, std::span<const std::uint32_t> lengths);

 private:
  std::span<const std::uint32_t> positions() const { return {positions_, positions_ == nullptr ? 0 : count_}; }

  const std::size_t chunk_bytes_, buffer_capacity_, slot_capacity_;
  MemoryBudget& budget_;
  PinnedSlotPool* const slots_;
  Buffer positions_memory_;
  std::uint32_t* positions_ = nullptr;  // by token
  Buffer memory_;                       // or:
  PinnedSlotPool::Slot slot_;
  std::uint8_t* tokens_ = nullptr;
  std::size_t slot_position_bytes_ = 0;  // bytes that a token's position takes of the capacity
  std::size_t capacity_ = 0, used_ = 0, count_ = 0;
  GrowingChecksum token_sums_, position_sums_;
};

}  // namespace spillway
