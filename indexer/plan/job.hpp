// All decisions of a job before it reads its input: files, memory, threads, mode, sorters and blocks, with an estimate
// of runs, merges and disk. `index` follows the plan; `plan` prints it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "indexer/block/sorter.hpp"
#include "indexer/gpu/sorter/gpu_lanes.hpp"
#include "indexer/plan/chunk_form.hpp"
#include "indexer/plan/estimate.hpp"
#include "indexer/plan/memory.hpp"
#include "indexer/plan/mode.hpp"
#include "sort/sort_plan.hpp"

namespace spillway {

// A number and its reason.
struct Decision {
  std::uint64_t value = 0;
  std::string reason;
};

// `asked` 0: half of what is available.
Decision choose_memory(std::uint64_t asked);
// `asked` 0: the processors that this process may run on.
Decision choose_threads(unsigned asked);

// Whether a plan asks for its GPUs, which takes a third of a second, or may assume them, as the job can begin anew.
enum class GpuFacts : std::uint8_t { kAsk, kAssume };

struct JobPlan {
  CorpusPlan corpus;
  Decision memory, threads;
  ModeChoice mode;
  std::optional<ChunkFormChoice> gpu_chunks;  // where a GPU sorts
  SorterChoice record_sorter, string_sorter;
  // Sorts blocks on the CPU: all of them or, in a GPU mode, those that no GPU sorted.
  std::unique_ptr<BlockSorter> sorter;
  const StringSorter* strings = nullptr;  // of the CPU: for ids
  std::optional<GpuSorterOptions> gpu;    // where GPUs sort blocks
  std::string gpu_memory;                 // a line for people
  bool assumes_gpu = false;               // `gpu` and `mode.gpus` are assumed: meet_gpu() finds out
  bool may_read_again = false;            // the job can begin anew where a GPU is lost
  IndexPlan index;
  JobEstimate estimate;

  // The bytes of a block that a chunk takes: on the host with its sort or, where that is more, its share of the arena.
  std::size_t block_cost(const ParsedChunk& chunk, Positions positions) const;
  // Several lines: each decision with its reason.
  std::string describe() const;
};

// Reads the sizes and the first bytes of the input's files, and at most 512 KiB of text (mode_cost.hpp). Throws
// UsageError, IoError, BudgetError and GpuError as run_index does. `check` as in plan_corpus().
//
// kAssume: if the job would take a GPU, the machine has a driver, and the options leave form, sorters and the memory of
// GPUs to the plan, the plan assumes that the GPUs that they name, or one, have enough memory (JobPlan::assumes_gpu),
// and calls none. The job then starts them while it parses. Not for streams, which cannot be read again if there are no
// such GPUs.
JobPlan plan_job(const IndexOptions& options, const ContentOptions& content, FileSystem& files,
                 const std::function<void()>& check = {}, GpuFacts facts = GpuFacts::kAsk);

// The resources of the machine for a plan that assumes a GPU.
struct MetGpu {
  ModeChoice mode;                        // with the real GPU; without one: its failure
  std::optional<GpuSorterOptions> lanes;  // to make; none where the job must be planned anew, with facts
  std::string gpu_memory;                 // JobPlan::gpu_memory
};
// Starts the driver and makes a context. Reads only what `plan` was made from. Requires: plan.assumes_gpu. Throws
// GpuError where the GPU fails, and where there is none and one is required.
MetGpu meet_gpu(const IndexOptions& options, const JobPlan& plan);

// Plans the same job anew, with facts. Throws as plan_job().
void plan_with_facts(const IndexOptions& options, const ContentOptions& content, FileSystem& files, JobPlan& plan);

// Turns a plan for GPUs into the plan of the same job without one, when no GPU could be started. Throws BudgetError.
void plan_without_gpu(const IndexOptions& options, const ContentOptions& content, const std::string& failure,
                      JobPlan& plan);

}  // namespace spillway
