// The GPUs of a job during its last merge: whether they merge lists, the lanes for that, and the end of their use.
#pragma once

#include <atomic>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "indexer/gpu/merge/gpu_batches.hpp"
#include "indexer/job/gpus.hpp"
#include "indexer/job/merge_lanes.hpp"
#include "indexer/options/index_options.hpp"
#include "indexer/run/store.hpp"

namespace spillway {

// The merge, as far as GPUs matter.
struct GpuMergeWork {
  const RunStore& runs;
  unsigned threads = 1;
  bool has_positions = false;
  bool gpus_work = true;  // they sorted all blocks that they were given
};

// Used by one thread.
class MergeGpus {
 public:
  // Frees the memory of parsers and GPUs beside the merge; at once, if memory is short, so that the merge can use it;
  // and where GPUs merge, beside its last ranges. Takes host memory for the lanes, where GPUs merge, and for the order
  // of lists that GPUs hold, where that takes at most an eighth of what is free; else brings lists down that are only
  // there. Makes the lanes beside the begin of the merge. The arguments outlive it. ListsLostError.
  MergeGpus(const GpuOptions& options, const GpuMergeWork& work, MemoryBudget& budget, JobGpus& gpus);
  ~MergeGpus() { end(); }
  MergeGpus(const MergeGpus&) = delete;
  MergeGpus& operator=(const MergeGpus&) = delete;

  // Null where GPUs do not merge.
  BatchLanes* lanes() { return lanes_ ? &*lanes_ : nullptr; }
  // Brings lists down that are only on GPUs. From then on the runs may change. ListsLostError.
  void leave_runs();
  // After the merge. From then on the runs may change or end.
  void end();
  // Why the processors merged lists that GPUs were to merge; empty if they did not.
  std::string failure() const;

 private:
  void take_memory(const GpuMergeWork& work);
  std::unique_ptr<BatchLanes> make_lanes();
  void bring_what_no_lane_holds();
  void release();
  void drop_lists_on_gpus();

  const GpuOptions& options_;
  MemoryBudget& budget_;
  JobGpus& gpus_;
  const RunStore& runs_;
  const unsigned threads_;
  BatchLaneMemory memory_;
  GpuBatchOptions lane_options_;
  std::vector<DeviceLists> held_;  // gone before the end of the GPUs' use
  Reservation order_memory_;       // where it is empty, held_ is of no use
  std::string failure_;
  std::optional<MergeLanes> lanes_;
  std::latch left_runs_{1};  // by `releasing_`
  std::atomic<bool> ends_ = false;
  std::jthread releasing_;
};

}  // namespace spillway
