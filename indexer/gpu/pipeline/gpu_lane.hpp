// A lane sorts blocks one after the other, each in one pass over a GPU. Up go the strings of the chunk tables and the
// occurrences, or the tokens themselves (ChunkForm); down come encoded lists, which are kept as they are, or become a
// run with the same bytes as that of make_key_block_sorter(). Lanes on several threads overlap: one block goes up while
// another is sorted and the lists of a third are kept or written.
#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "indexer/block/sorter.hpp"
#include "indexer/gpu/pipeline/executor.hpp"
#include "indexer/run/merge_source.hpp"
#include "sort/gpu/device/error.hpp"

namespace spillway {

// Used by one thread at a time. Both calls work in parallel inside the calling thread's TBB arena and add to `stats`.
class GpuLane {
 public:
  virtual ~GpuLane() = default;
  // Sorts and encodes the block, waits until its lists are on the host, or a digest of lists that stay on the GPU, and
  // returns the most bytes that its run can take. First waits for the device memory, where lanes share it. After an
  // error the block is as it was, and the lane takes the next one. GpuMemoryError where the block does not fit,
  // GpuError for other failures of the GPU, FormatError where a chunk is inconsistent.
  virtual std::size_t sort(const Block& block, const BlockSortOptions& options, BlockSortStats& stats) = 0;
  // Writes the run of the block that was sorted last, and gives the memory of its lists back. Brings lists down that
  // stay on the GPU. Requires: `options.positions` as in sort(). Throws as BlockSorter::write_run(), and GpuError.
  virtual RunSummary write_run(const Block& block, WritableFile& file, const BlockSortOptions& options,
                               BlockSortStats& stats) = 0;
  // Returns the bytes that keep() takes; empty where the block must become a run. GpuError where the lists that came
  // from the GPU contradict each other.
  virtual std::optional<std::size_t> kept_bytes(const Block&, const BlockSortOptions&) const { return std::nullopt; }
  // Instead of write_run(): keeps the lists of the block that was sorted last in memory of `budget`, and the block's
  // documents with them. Touches no GPU. Requires: kept_bytes() is not empty.
  virtual std::unique_ptr<MergeSource> keep(const Block&, const BlockSortOptions&, MemoryBudget&, BlockSortStats&) {
    throw std::logic_error("this lane keeps no lists");
  }
  // The steps of the last sort().
  virtual PassSeconds seconds() const = 0;
};

using GpuLanes = std::vector<std::unique_ptr<GpuLane>>;

// Lanes that are made while blocks are parsed for them. get() waits, and throws GpuStartError if there will be none.
using StartingLanes = std::shared_future<GpuLanes>;

// No lane could be made for a job that had begun to parse.
struct GpuStartError : GpuError {
  enum class Kind : std::uint8_t {
    kFailed,   // a GPU failed
    kMissing,  // there is none that can be used, or not all that --gpu names
    kSmaller   // there is one with less memory than the plan assumed
  };
  GpuStartError(Kind what, const std::string& message) : GpuError(message), kind(what) {}
  Kind kind;
};

}  // namespace spillway
