// Splits a block that a GPU did not sort into smaller blocks that the CPU can sort within the memory for it. Chunks of
// tokens get their tables first.
#pragma once

#include <optional>

#include "indexer/block/sorter.hpp"
#include "indexer/chunk/limits.hpp"
#include "io/format/content_options.hpp"

namespace spillway {

class BlockSplitter {
 public:
  // Takes the chunks out of `block`. Sorting a part adds at most `most_bytes`, or the need of a single chunk; 0: no
  // limit.
  BlockSplitter(Block& block, const BlockSorter& sorter, Positions positions, std::size_t most_bytes,
                MemoryBudget& budget)
      : block_(block), sorter_(sorter), positions_(positions), most_bytes_(most_bytes), budget_(budget) {}

  // Returns the next chunks, in the form that the sorter takes; nothing at the end. The first result may have no
  // chunks. Makes tables in parallel in the calling thread's TBB arena. Throws as build_term_table().
  std::optional<Block> next();

 private:
  std::size_t add_group(Block& split, std::size_t added_bytes);
  std::size_t most_added(const ParsedChunk& chunk) const;

  Block& block_;
  const BlockSorter& sorter_;
  const Positions positions_;
  const std::size_t most_bytes_;
  MemoryBudget& budget_;
  std::size_t at_ = 0;
  bool started_ = false;
};

// The most bytes that sorting on the CPU adds to a chunk of tokens of these limits.
std::size_t most_token_sort_bytes(const ContentOptions& options, const ChunkLimits& limits, const BlockSorter& sorter);

}  // namespace spillway
