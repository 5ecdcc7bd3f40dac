// All that a job decides before it reads its input: files, memory, threads, sorters, blocks, and what it expects of
// runs, merges and disk. `index` works by it; `plan` shows it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "indexer/block/sorter.hpp"
#include "indexer/gpu/sorter/block_sorter.hpp"
#include "indexer/plan/chunk_form.hpp"
#include "indexer/plan/estimate.hpp"
#include "indexer/plan/memory.hpp"
#include "indexer/plan/mode.hpp"
#include "sort/sort_plan.hpp"

namespace spillway {

// A number and what decided it.
struct Decision {
  std::uint64_t value = 0;
  std::string reason;
};

// `asked` 0: half of what is available.
Decision choose_memory(std::uint64_t asked);
// `asked` 0: as many as this process may run on.
Decision choose_threads(unsigned asked);

struct JobPlan {
  CorpusPlan corpus;
  Decision memory, threads;
  ModeChoice mode;
  std::optional<ChunkFormChoice> gpu_chunks;  // of a GPU that sorts
  SorterChoice record_sorter, string_sorter;
  // Sorts blocks on the CPU: all of them, or in a GPU mode those that no GPU sorted.
  std::unique_ptr<BlockSorter> sorter;
  const StringSorter* strings = nullptr;      // of the CPU: for ids
  std::optional<GpuSorterOptions> gpu;        // where blocks visit a GPU
  std::unique_ptr<BlockSorter> through_host;  // where host sorters use it
  std::string gpu_memory;                     // a line for people
  IndexPlan index;
  JobEstimate estimate;

  // Bytes of a block's that a chunk takes: on the host with its sort, or, where that is more, its share of a visit's
  // device memory.
  std::size_t block_cost(const ParsedChunk& chunk, Positions positions) const;
  // Several lines, one a decision, with its reason.
  std::string describe() const;
};

// Looks at the input's files (not at their records) and decides. `corpus` options as run_index takes them. Throws
// UsageError, IoError, BudgetError as run_index does.
JobPlan plan_job(const IndexOptions& options, const ContentOptions& content, FileSystem& files);

// Makes of the plan for GPUs that of the same job without one: none could be started after all. Throws BudgetError.
void plan_without_gpu(const IndexOptions& options, const ContentOptions& content, const std::string& failure,
                      JobPlan& plan);

}  // namespace spillway
