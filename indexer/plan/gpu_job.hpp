// The GPU's part of a job's plan: its sorters, the device memory of a block pass, and the block size that this allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "indexer/gpu/sorter/gpu_lanes.hpp"
#include "indexer/plan/chunk_form.hpp"
#include "indexer/plan/memory.hpp"
#include "indexer/plan/mode.hpp"
#include "sort/gpu_plan.hpp"

namespace spillway {

// Estimates device memory for blocks of usual text (usual_pass()).
class GpuJobPlan {
 public:
  // `threads` are those that parse and merge; if they become fewer, blocks stay smaller than they could be.
  // Requires: choice.gpus is not empty. Asks each for its free memory, which makes contexts. GpuError, also where there
  // is not enough for the smallest block; UsageError for unknown sorters, and for GPUs that a sorter cannot use.
  GpuJobPlan(const IndexOptions& options, const ModeChoice& choice, std::size_t memory_bytes, unsigned threads);
  // Assumes GPUs of these numbers, each with as much memory as blocks of tokens can use, and asks none. Requires:
  // `options` leave sorters and the memory of GPUs to the plan, and do not ask for tables.
  GpuJobPlan(const IndexOptions& options, std::vector<int> assumed, std::size_t memory_bytes, unsigned threads);

  // Lanes on all GPUs.
  unsigned lanes() const { return sorter_.all_lanes(); }
  // Pinned memory for the lists of all lanes: at most a sixteenth of the memory. total_bytes: as choose_records().
  std::size_t staging_bytes(std::uint64_t total_bytes) const;
  const SorterChoice& string_sorter() const { return strings_; }
  const ChunkFormChoice& chunks() const { return chunks_; }
  // Does the pass over the largest chunk fit an arena, so that blocks can be cut small enough?
  bool takes_chunk(const ChunkLimits& limits) const;
  // The size of blocks, at most `host_bytes`, and their record sorter, if any. total_bytes: of all blocks, 0 if
  // unknown.
  GpuSortPlan choose_records(std::size_t host_bytes, std::uint64_t total_bytes) const;
  // Arenas are at most twice as large as blocks of the chosen size are expected to need.
  GpuSorterOptions sorter_options(const GpuSortPlan& chosen, std::uint64_t total_bytes) const;
  // Returns whether arenas for such blocks are as large as sorter_options() would have them: limited by no device.
  bool has_whole_arenas(std::size_t block_bytes) const;
  std::string describe() const;

 private:
  std::size_t wanted_arena_bytes(std::size_t block_bytes, const std::string& record_sorter) const;
  unsigned choose_arenas(const ModeChoice& choice, std::size_t device_bytes) const;
  unsigned choose_lanes(const ModeChoice& choice) const;
  // The most bytes of a block, however much memory the host has.
  std::size_t most_block_bytes(std::uint64_t total_bytes) const;
  ChunkFormChoice choose_chunks(GpuChunks asked) const;
  GpuSortPlan choose_token_blocks(std::size_t host_bytes, std::uint64_t total_bytes) const;
  std::size_t device_bytes(const BlockPassSize& size, ChunkForm form, const std::string& record_sorter) const;

  bool is_assumed_ = false;
  std::string record_name_;
  SorterChoice strings_;
  ChunkFormChoice chunks_;
  std::size_t most_arena_bytes_ = 0;
  std::string memory_reason_;
  bool positions_ = false;
  std::size_t memory_bytes_ = 0;
  unsigned threads_ = 1;
  std::size_t forced_block_bytes_ = 0;  // 0: none
  GpuSorterOptions sorter_;             // all but what sorter_options() adds
};

// The rule of a job whose `text_bytes` are expected, 0 if unknown, and which `threads` merge. Lists never stay alone
// where the host would need them after all: because blocks are too many for one merge, or the memory for runs cannot
// hold all of them.
StayingRule staying_rule(const IndexOptions& options, const IndexPlan& plan, std::uint64_t text_bytes,
                         unsigned threads);

// An estimate of block_pass_device_bytes() for tokens and the default string sorter, for which no GPU is asked: within
// 5 % for blocks of 100,000 tokens and more.
std::size_t estimated_token_pass_bytes(const BlockPassSize& size);

// The pass over a block of `block_bytes` bytes of usual text: as measured on RFCs and on package descriptions.
BlockPassSize usual_pass(ChunkForm form, std::size_t block_bytes, bool positions);

}  // namespace spillway
