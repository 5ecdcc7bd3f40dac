// A block in pieces, for sorting it on the CPU where a GPU did not: as many chunks at once as the memory for it allows.
// Chunks of tokens get their tables first.
#pragma once

#include <optional>

#include "indexer/block/sorter.hpp"
#include "indexer/chunk/limits.hpp"
#include "io/format/content_options.hpp"

namespace spillway {

class BlockSplitter {
 public:
  // Sorting adds at most most_bytes to it, or what a single chunk needs (0: no
  // limit). What is given out is taken from the block.
  BlockSplitter(Block& block, const BlockSorter& sorter, Positions positions, std::size_t most_bytes,
                MemoryBudget& budget)
      : block_(block), sorter_(sorter), positions_(positions), most_bytes_(most_bytes), budget_(budget) {}

  // Chunks of the form that the sorter takes; nothing behind the last piece. The first may have none. Makes tables in
  // parallel inside the calling thread's TBB arena. Throws as build_term_table().
  std::optional<Block> next();

 private:
  std::size_t add_group(Block& piece, std::size_t added_bytes);
  std::size_t most_added(const ParsedChunk& chunk) const;

  Block& block_;
  const BlockSorter& sorter_;
  const Positions positions_;
  const std::size_t most_bytes_;
  MemoryBudget& budget_;
  std::size_t at_ = 0;
  bool started_ = false;
};

// What sorting on the CPU adds, at most, to a chunk of tokens of these limits.
std::size_t most_token_sort_bytes(const ContentOptions& options, const ChunkLimits& limits, const BlockSorter& sorter);

}  // namespace spillway
