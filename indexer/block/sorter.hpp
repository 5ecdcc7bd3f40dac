// From block to run: what every way of sorting a block does, on the CPU or elsewhere. `cpu-chunk` joins lists that were
// inverted chunk by chunk; block-wide sorters order one key per occurrence, the papers' way. The content of the run is
// the same; where blocks of terms end, and where long lists are cut into entries, may differ.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "indexer/block/block.hpp"
#include "indexer/run/merge_source.hpp"
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
  // Of what is encoded and not yet written, about; 0: as much as the threads make.
  std::size_t encode_bytes = 0;
  // Re-derive the sum of the block from what was written: not needed where the merge reads the very same bytes.
  bool check_sum = true;
  bool has_texts = false;  // texts are stored
};

// Busy time of the steps, summed over threads. Those of a GPU by its own clock; a visit sorts and encodes in one.
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

// Thread-safe; parallel inside the calling thread's TBB arena.
class BlockSorter {
 public:
  virtual ~BlockSorter() = default;
  virtual ChunkForm form() const = 0;
  // Memory that sorting adds for a chunk, besides the chunk itself.
  virtual std::size_t extra_bytes(const ChunkCounts& counts) const = 0;
  std::size_t extra_bytes(const ParsedChunk& chunk) const { return extra_bytes(counts_of(chunk)); }
  // Writes the block as a run to `file` (empty). FormatError where the sum of the block, re-derived from what was
  // written, differs (hardware or our own mistake). Does not sync or close.
  virtual RunSummary write_run(const Block& block, WritableFile& file, const BlockSortOptions& options,
                               MemoryBudget& budget, BlockSortStats& stats) const = 0;

  // Where memory allows, a block may be kept for the merge as it is, in place of a run: the memory that it holds then,
  // nothing where this sorter makes a run of it in any case.
  virtual std::optional<std::size_t> kept_bytes(const Block&, const BlockSortOptions&) const { return std::nullopt; }
  // Requires: kept_bytes().
  virtual std::unique_ptr<MergeSource> keep(Block&&, const BlockSortOptions&, MemoryBudget&, BlockSortStats&) const {
    throw std::logic_error("this sorter keeps no blocks");
  }
};

// What is known of a block's lists before they are written.
struct ListStats {
  std::size_t entries = 0;
  std::size_t bytes = 0;  // of terms, postings and distances
};
// At most. Requires: a block that is not of tokens.
ListStats most_lists(const Block& block);
// The most bytes that the run of this block can take.
std::size_t run_bytes_bound(const Block& block, const ListStats& lists, std::size_t run_block_bytes);

}  // namespace spillway
