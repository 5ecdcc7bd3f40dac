// The GPUs of a job: their lanes, the pinned slots of chunks, and the host memory of both. They are started before the
// job parses or, where its plan assumes a GPU (JobPlan::assumes_gpu), on a thread of their own while it parses.
#pragma once

#include <optional>
#include <vector>

#include "indexer/chunk/pinned_slot_pool.hpp"
#include "indexer/gpu/pipeline/gpu_lane.hpp"
#include "indexer/ingest/block_queue.hpp"
#include "indexer/options/index_options.hpp"
#include "indexer/options/job_context.hpp"
#include "indexer/plan/job.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

class JobGpus {
 public:
  // The arguments outlive it.
  JobGpus(const IndexOptions& options, const IndexContext& context, MemoryBudget& budget)
      : options_(options), context_(context), budget_(budget) {}
  ~JobGpus() { release(); }
  JobGpus(const JobGpus&) = delete;
  JobGpus& operator=(const JobGpus&) = delete;

  // Allocates device and pinned memory for a plan with a GPU, or begins to: then `plan` stays as it is until await() or
  // release(). Throws GpuError and BudgetError; afterwards it is released.
  void start(const JobPlan& plan);
  // For a queue; with `cpu` alone where nothing was started.
  BlockSorters sorters(const BlockSorter& cpu) const;
  // Null without slots.
  PinnedSlotPool* pinned_slots() { return pinned_slots_ ? &*pinned_slots_ : nullptr; }
  // Waits for lanes that are being made. Returns what was found of the GPU, or nullptr where the plan did not assume
  // one. GpuStartError, BudgetError.
  const MetGpu* await();
  // Waits for what is being started, and gives all memory back. Requires: no chunk is in a slot.
  void release();
  // The part of release() that gives device memory back.
  void release_lanes();
  // GPUs with lanes, also after release().
  const std::vector<int>& used() const { return used_; }
  // After release(): destroys contexts too, if IndexContext::ends_gpu_use and memory for it is left. Throws nothing: it
  // runs in a thread of its own.
  void end();

 private:
  GpuLanes meet_and_make(const JobPlan& plan);
  void take_pinned_slots(const IndexPlan& plan);

  const IndexOptions& options_;
  const IndexContext& context_;
  MemoryBudget& budget_;
  Reservation lane_memory_;  // for the budget below: lists from GPUs take memory from no other consumer
  std::optional<MemoryBudget> lane_budget_;
  std::optional<PinnedSlotPool> pinned_slots_;
  GpuLanes lanes_;
  std::vector<int> used_;  // GPUs with lanes
  MetGpu met_;             // written before `starting_` is ready
  std::size_t starting_count_ = 0;
  StartingLanes starting_;
};

}  // namespace spillway
