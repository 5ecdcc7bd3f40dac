// Sorts blocks on GPUs, one visit each (design, decision 7): the chunk tables' strings and the occurrences go up, or
// the tokens themselves (ChunkForm), encoded lists come down, and become a run with the same bytes as that of
// make_key_block_sorter. A visit is begun and finished apart, so that several blocks are in flight. Plain C++; in a
// program without CUDA the maker throws GpuError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "indexer/block/sorter.hpp"
#include "indexer/gpu/pipeline/pass_seconds.hpp"

namespace spillway {

struct GpuSorterOptions {
  ChunkForm form = ChunkForm::kTables;  // of all chunks; or kTokens
  std::vector<int> gpus;                // blocks are dealt to them in turn
  std::size_t arena_bytes = 0;          // device memory taken on each GPU, once
  unsigned visits = 2;                  // that may be in flight on each GPU
  unsigned shares = 2;                  // equal ones, of the arena; visits of one take turns (ArenaShare)
  std::size_t staging_bytes = 0;        // pinned host memory, made once, all GPUs together; paid from the budget
  std::string record_sorter;  // of device_record_sorters(); kTokens: not read, the sort of strings orders the keys
  std::string string_sorter;  // of device_string_sorters()
  unsigned threads = 1;
};

// What decides how much device memory the visit of a block takes: sums over its chunks. Strings are what is sorted as
// such: the terms of the chunks' tables, or all occurrences (kTokens).
struct BlockPassSize {
  std::uint64_t chunks = 0, strings = 0, string_bytes = 0, occurrences = 0, documents = 0;
  std::uint64_t token_bytes = 0;  // kTokens: what goes up, with what stands between tokens
  bool positions = false;

  BlockPassSize& operator+=(const BlockPassSize& other);
};
BlockPassSize block_pass_size(const ParsedChunk& chunk, Positions positions);

// At most. Never more for a sum than for its parts together. Asks the first of the options' GPUs where that decides
// (CUB's scratch), whatever the calling thread's current one is, and makes it that. GpuError in a program without CUDA
// and where the GPU is lost; UsageError for sorters that are not there. Of the options it reads form, GPUs and sorters.
std::size_t block_pass_device_bytes(const BlockPassSize& size, const GpuSorterOptions& options);

// A block whose visit was begun. The block stays where it is, and untouched, until the visit is destroyed. Visits are
// used side by side, each by one thread at a time.
class GpuBlockPass {
 public:
  virtual ~GpuBlockPass() = default;
  // Waits for the GPU, and tells how many bytes the run can take at most (run_bytes_bound). Works in parallel inside
  // the calling thread's TBB arena. Adds the visit's times to the figures. GpuError: then the block is as it was.
  virtual std::size_t wait(std::size_t run_block_bytes, BlockSortStats& stats) = 0;
  // Writes the run, in parallel inside the calling thread's TBB arena; waits first if nobody did. GpuError before
  // anything is written to `file`. Other errors as BlockSorter::write_run. The options are those of the job, as begin()
  // had their positions.
  virtual RunSummary write_run(WritableFile& file, const BlockSortOptions& options, BlockSortStats& stats) = 0;
  // After write_run().
  virtual PassSeconds seconds() const { return {}; }
};

// Outlives its visits. Thread-safe: threads may begin different blocks at the same time, each visit with a stream and
// memory of its own, so that one block goes up while another is sorted.
class GpuBlockSorter {
 public:
  virtual ~GpuBlockSorter() = default;
  // Puts the work on a GPU and returns while it is going on, as far as that can be: it waits for the GPU where sizes
  // depend on what was found. Packs in parallel inside the calling thread's TBB arena. Waits, too, while as many visits
  // as there may be are in flight: their owners must be able to go on without this thread. GpuMemoryError where the
  // block does not fit a visit's share; GpuError.
  virtual std::unique_ptr<GpuBlockPass> begin(const Block& block, Positions positions) = 0;
};

// Takes device and pinned memory; UsageError for unknown sorters. The budget lives longer.
std::unique_ptr<GpuBlockSorter> make_gpu_block_sorter(const GpuSorterOptions& options, MemoryBudget& budget);

}  // namespace spillway
