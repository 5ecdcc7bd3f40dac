// The token stream of a chunk (ParsedChunk::tokens) while it grows, in the memory that becomes the chunk's, with the
// positions of its tokens.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "indexer/chunk/parsed_chunk.hpp"
#include "indexer/parse/chunk_parser.hpp"
#include "indexer/parse/chunk_sizes.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

class TokenBuffer {
 public:
  // Besides the chunk's memory.
  static std::size_t memory_bytes(const ContentOptions& options, const ChunkLimits& limits);
  TokenBuffer(const ChunkParserSetup& setup);

  // For so many more bytes, zeros between and behind tokens counted, and tokens? An empty one has, for a window of text
  // or the longest term.
  bool has_room(std::size_t bytes, std::size_t tokens) const {
    return used_ + bytes + piece_position_bytes_ * (count_ + tokens) <= capacity_ && count_ + tokens <= kMaxChunkTokens;
  }
  // Where the next bytes are written. kScanPadding bytes behind what there is room for may be overwritten.
  // Requires: has_memory().
  std::uint8_t* end() { return tokens_ + used_; }
  bool has_memory() const { return tokens_ != nullptr; }
  void take_memory();

  // Bytes that were written at end(), of tokens whose positions ascend by 1 from `position` on.
  void add(std::size_t bytes, std::size_t tokens, std::uint32_t position) {
    used_ += bytes;
    if (positions_ != nullptr) {
      for (std::size_t i = 0; i < tokens; ++i) positions_[count_ + i] = position + static_cast<std::uint32_t>(i);
    }
    count_ += tokens;
    // All but what may be taken back.
    token_sums_.follow({tokens_, used_ - std::min(used_, kShortTokenBytes)});
    if (positions_ != nullptr && count_ != 0) position_sums_.follow(bytes_of(positions().first(count_ - 1)));
  }
  // Takes back the last token, of at most kShortTokenBytes, which has no zero behind it.
  void remove_last(std::size_t bytes) {
    used_ -= bytes;
    --count_;
  }

  // Returns the memory with the tokens, followed by copies of the arguments' arrays. Leaves nothing.
  ParsedChunk seal(const ChunkDocuments& documents, std::span<const std::uint32_t> lengths);

 private:
  std::span<const std::uint32_t> positions() const { return {positions_, positions_ == nullptr ? 0 : count_}; }

  const std::size_t chunk_bytes_, usual_capacity_, piece_capacity_;
  MemoryBudget& budget_;
  PinnedSlotPool* const slabs_;
  Buffer positions_memory_;
  std::uint32_t* positions_ = nullptr;  // by token
  Buffer memory_;                       // or:
  PinnedSlotPool::Piece piece_;
  std::uint8_t* tokens_ = nullptr;
  std::size_t piece_position_bytes_ = 0;  // of a token, in a piece
  std::size_t capacity_ = 0, used_ = 0, count_ = 0;
  GrowingChecksum token_sums_, position_sums_;
};

}  // namespace spillway
