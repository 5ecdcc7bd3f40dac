// The interface of block sorters, which turn a block into a run. `cpu-chunk` concatenates lists that parsing has
// inverted chunk by chunk; block-wide sorters order one key per occurrence, the papers' way. All write runs of the same
// content; the ends of blocks of terms, and of entries of long lists, may differ.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "indexer/block/block.hpp"
#include "indexer/run/merge_source.hpp"
#include "io/base/timeline.hpp"
#include "io/file/file_system.hpp"
#include "io/format/index.hpp"
#include "io/format/run.hpp"
#include "io/memory/budget.hpp"
#include "sort/interface/record_sorter.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

struct BlockSortOptions {
  Hash128 job{};
  Positions positions = Positions::kNone;
  std::size_t run_block_bytes = std::size_t{256} << 10;
  unsigned threads = 1;
  // About the most bytes that are encoded and not yet written; 0: as many as the threads make.
  std::size_t encode_bytes = 0;
  // Derive the block's checksum again from the written lists. Not needed where the merge reads the same bytes.
  bool check_sum = true;
  bool has_texts = false;  // texts are stored
  Timeline* timeline = nullptr;
};

// Busy time of the steps, summed over threads; on a GPU by its own clock, where sorting includes encoding.
struct BlockSortStats {
  double sort_seconds = 0, encode_seconds = 0, write_seconds = 0;
  double upload_seconds = 0, download_seconds = 0;  // between host and GPU
  std::uint64_t upload_bytes = 0, download_bytes = 0;

  BlockSortStats& operator+=(const BlockSortStats& other);
};

// Counts of a chunk with a table or postings, by which the memory of its sort grows.
struct ChunkCounts {
  std::size_t terms = 0, occurrences = 0, documents = 0;
};
inline ChunkCounts counts_of(const ParsedChunk& chunk) {
  return {chunk.terms().terms.size(), chunk.occurrence_count, chunk.document_count};
}

// Thread-safe. Works in parallel in the calling thread's TBB arena.
class BlockSorter {
 public:
  virtual ~BlockSorter() = default;
  virtual ChunkForm form() const = 0;
  // Bytes that sorting takes for a chunk, besides the chunk itself.
  virtual std::size_t extra_bytes(const ChunkCounts& counts) const = 0;
  std::size_t extra_bytes(const ParsedChunk& chunk) const { return extra_bytes(counts_of(chunk)); }
  // Writes the block as a run to `file`, which is empty. Does not sync or close it. FormatError where the checksum of
  // the written lists is not the block's (hardware or our own mistake).
  virtual RunSummary write_run(const Block& block, WritableFile& file, const BlockSortOptions& options,
                               MemoryBudget& budget, BlockSortStats& stats) const = 0;

  // Bytes that the block holds if it is kept in memory for the merge instead of written to a run. Empty where that is
  // not possible.
  virtual std::optional<std::size_t> kept_bytes(const Block&, const BlockSortOptions&) const { return std::nullopt; }
  // Requires: kept_bytes() is not empty.
  virtual std::unique_ptr<MergeSource> keep(Block&&, const BlockSortOptions&, MemoryBudget&, BlockSortStats&) const {
    throw std::logic_error("this sorter keeps no blocks");
  }
};

// Bounds of a block's lists before they are written.
struct ListStats {
  std::size_t entries = 0;
  std::size_t bytes = 0;  // of terms, postings and distances
};
// Requires: chunks of postings or tables.
ListStats most_lists(const Block& block);
// The most bytes of the run of this block.
std::size_t run_bytes_bound(const Block& block, const ListStats& lists, std::size_t run_block_bytes);

}  // namespace spillway
