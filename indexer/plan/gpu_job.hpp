// The GPU's part of a job's plan: which sorters, how much device memory a visit may have, how large blocks may be for
// it.
#pragma once

#include <cstddef>
#include <vector>

#include "indexer/gpu/sorter/block_sorter.hpp"
#include "indexer/plan/chunk_form.hpp"
#include "indexer/plan/memory.hpp"
#include "indexer/plan/mode.hpp"
#include "sort/gpu_plan.hpp"

namespace spillway {

// Device memory of a visit, for blocks of text as it usually is.
class GpuJobPlan {
 public:
  // Requires: choice.gpus is not empty. Asks each for its free memory, which makes contexts. GpuError, also where there
  // is not enough for the smallest block; UsageError for unknown sorters, and for GPUs that a sorter cannot use.
  GpuJobPlan(const IndexOptions& options, const ModeChoice& choice, std::size_t memory_bytes);

  // Visits in flight on all GPUs.
  unsigned visits() const { return through_host_ ? 1 : visits_ * static_cast<unsigned>(sorter_.gpus.size()); }
  // For the lists of all visits, where a sixteenth of the memory has room for them. total_bytes: as choose_records().
  std::size_t staging_bytes(std::uint64_t total_bytes) const;
  const SorterChoice& string_sorter() const { return strings_; }
  const ChunkFormChoice& chunks() const { return chunks_; }
  // Do the strings go to the GPU by a sorter of host memory (hybrid-msd)? Then there are no visits.
  bool through_host() const { return through_host_; }
  // Does the visit of the largest chunk fit, so that blocks can be cut small enough? (Where sorters use the GPU
  // themselves, blocks are bounded by choose_records alone.)
  bool takes_chunk(const ChunkLimits& limits) const;
  // What a block of `host_bytes` at most may take, and with which record sorter, if any. total_bytes: of all blocks, 0
  // if unknown.
  GpuSortPlan choose_records(std::size_t host_bytes, std::uint64_t total_bytes) const;
  // Takes no more device memory than blocks of that size are expected to need, some to spare.
  GpuSorterOptions sorter_options(const GpuSortPlan& chosen, std::uint64_t total_bytes, unsigned threads) const;
  std::string describe() const;

 private:
  void check_gpus() const;
  unsigned choose_shares(const ModeChoice& choice, std::size_t device_bytes) const;
  unsigned choose_visits(const ModeChoice& choice) const;
  ChunkFormChoice choose_chunks(GpuChunks asked) const;
  GpuSortPlan choose_token_blocks(std::size_t host_bytes, std::uint64_t total_bytes) const;
  std::size_t device_bytes(const BlockPassSize& size, ChunkForm form, const std::string& record_sorter) const;

  std::string record_name_;
  SorterChoice strings_;
  ChunkFormChoice chunks_;
  bool through_host_ = false;
  unsigned visits_ = 2, shares_ = 2;  // on each GPU (GpuSorterOptions)
  std::size_t share_bytes_ = 0;       // of device memory, at most
  std::string memory_reason_;
  bool positions_ = false;
  std::size_t memory_bytes_ = 0;
  std::size_t forced_block_bytes_ = 0;  // 0: not
  GpuSorterOptions sorter_;
};

// The visit of a block of so many bytes, as text usually is: measured on RFCs and on package descriptions.
BlockPassSize usual_pass(ChunkForm form, std::size_t block_bytes, bool positions);

}  // namespace spillway
