// The tokens of a chunk (ChunkTokens::tokens) with the runs of their positions while they grow, in the memory that
// becomes the chunk's: a pinned slot while there are any, else a buffer.
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
    return used_ + bytes + slot_run_bytes_ * (run_count_ + 1) <= capacity_ && count_ + tokens <= kMaxChunkTokens &&
           run_count_ < most_runs_;
  }
  // Where the next bytes are written. kScanPadding bytes beyond the room may be overwritten. Requires: has_memory().
  std::uint8_t* end() { return tokens_ + used_; }
  bool has_memory() const { return tokens_ != nullptr; }
  void take_memory();

  // Adds bytes that were written at end(), with `tokens` tokens whose positions ascend by 1 from `position` on.
  void add(std::size_t bytes, std::size_t tokens, std::uint32_t position) {
    used_ += bytes;
    if (runs_ != nullptr && tokens != 0 && !goes_on(position)) {
      runs_[run_count_++] = {static_cast<std::uint32_t>(count_), position};
    }
    count_ += tokens;
    // The sums leave out the last token and the last run, which may be removed again.
    token_sums_.follow({tokens_, used_ - std::min(used_, kShortTokenBytes)});
    if (run_count_ > 1) run_sums_.follow(bytes_of(runs().first(run_count_ - 1)));
  }
  // Removes the last token. Requires: it has at most kShortTokenBytes, and no zero follows it.
  void remove_last(std::size_t bytes) {
    used_ -= bytes;
    --count_;
    if (run_count_ != 0 && runs_[run_count_ - 1].first_token == count_) --run_count_;
  }

  // Returns the chunk of the tokens and of copies of the arguments' arrays. Leaves nothing, and no memory.
  ParsedChunk seal(const ChunkDocuments& documents, std::span<const std::uint32_t> lengths);

 private:
  std::span<const PositionRun> runs() const { return {runs_, run_count_}; }
  bool goes_on(std::uint32_t position) const {
    return run_count_ != 0 && runs_[run_count_ - 1].position_of(static_cast<std::uint32_t>(count_)) == position;
  }

  const std::size_t chunk_bytes_, buffer_capacity_, slot_capacity_, most_runs_;
  MemoryBudget& budget_;
  PinnedSlotPool* const slots_;
  Buffer runs_memory_;
  PositionRun* runs_ = nullptr;  // null without positions
  Buffer memory_;                // or:
  PinnedSlotPool::Slot slot_;
  std::uint8_t* tokens_ = nullptr;
  std::size_t slot_run_bytes_ = 0;  // bytes that a run takes of the capacity
  std::size_t capacity_ = 0, used_ = 0, count_ = 0, run_count_ = 0;
  GrowingChecksum token_sums_, run_sums_;
};

}  // namespace spillway
