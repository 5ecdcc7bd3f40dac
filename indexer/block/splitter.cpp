#include "indexer/block/splitter.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <utility>

#include "indexer/parse/build_term_table.hpp"
#include "indexer/parse/chunk_sizes.hpp"

namespace spillway {

namespace {

// Chunks whose tables are made at once.
constexpr std::size_t kGroupChunks = 16;

// Returns the most memory for making the tables of a chunk and sorting it.
std::size_t most_cpu_sort_bytes(const ChunkCounts& most, const TabulationBytes& tables, const BlockSorter& sorter) {
  return tables.result + std::max(tables.scratch, sorter.extra_bytes(most));
}

}  // namespace

std::optional<Block> BlockSplitter::next() {
  if (std::exchange(started_, true) && at_ == block_.chunks.size()) return std::nullopt;
  Block split;
  std::size_t added_bytes = 0;
  while (at_ != block_.chunks.size()) {
    const std::size_t before = at_;
    added_bytes += add_group(split, added_bytes);
    if (at_ == before) break;
  }
  return split;
}

// Adds a few chunks to `split`: as many as the memory allows, and one in any case. Returns the bytes that they add.
std::size_t BlockSplitter::add_group(Block& split, std::size_t added_bytes) {
  const std::size_t begin = at_, first = split.chunks.size();
  const bool had_tokens = block_.chunks[begin].form() == ChunkForm::kTokens;  // as all chunks of the block
  std::size_t most = added_bytes;
  for (; at_ != block_.chunks.size() && at_ - begin < kGroupChunks; ++at_) {
    most += most_added(block_.chunks[at_]);
    if (most_bytes_ != 0 && most > most_bytes_ && (!split.chunks.empty() || at_ != begin)) break;
  }
  split.chunks.resize(first + (at_ - begin));
  tbb::parallel_for(begin, at_, [&](std::size_t c) {
    ParsedChunk chunk = std::move(block_.chunks[c]);
    split.chunks[first + (c - begin)] =
        chunk.form() == ChunkForm::kTokens ? build_term_table(std::move(chunk), positions_, budget_) : std::move(chunk);
  });
  // Adds up the tables that were made here and the memory of the sort.
  std::size_t bytes = 0;
  for (std::size_t c = first; c != split.chunks.size(); ++c) {
    bytes += (had_tokens ? split.chunks[c].memory.size() : 0) + sorter_.extra_bytes(split.chunks[c]);
  }
  return bytes;
}

std::size_t BlockSplitter::most_added(const ParsedChunk& chunk) const {
  if (chunk.form() != ChunkForm::kTokens) return sorter_.extra_bytes(chunk);
  return most_cpu_sort_bytes({chunk.occurrence_count, chunk.occurrence_count, chunk.document_count},
                             tabulation_bytes(chunk, positions_), sorter_);
}

std::size_t most_token_sort_bytes(const ContentOptions& options, const ChunkLimits& limits, const BlockSorter& sorter) {
  const std::size_t tokens = max_chunk_tokens(options, limits);
  return most_cpu_sort_bytes({tokens, tokens, limits.max_documents}, most_tabulation_bytes(options, limits), sorter);
}

}  // namespace spillway
