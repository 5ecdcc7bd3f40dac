// Plans how the runs (or indexes) of a job become one index within its memory: translates them into the input of
// plan_merge (merge/merge_plan.hpp). Pure, so that `plan` can use it before there is any run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/format/content_options.hpp"
#include "merge/merge_plan.hpp"

namespace spillway {

struct RunStats {
  std::vector<std::uint64_t> bytes;  // of each run, in document order
  std::uint64_t documents = 0;       // of all runs
  std::size_t cursor_bytes = 0;      // of the largest term cursor
  std::size_t open_bytes = 0;        // memory of all runs while they are open, without cursors
  std::size_t most_open_bytes = 0;   // most of one of them, or of a run that a pass makes
  bool any_file = true;              // files take descriptors; indexes and runs in memory take none
};

struct MergeResources {
  std::size_t budget_bytes = 0, free_bytes = 0;  // of the job; the part left for the merge
  std::size_t run_block_bytes = 0;               // of new runs
  std::size_t max_term_bytes = 0;
  StorePolicy store = StorePolicy::kMeta;
  bool has_positions = false;
  unsigned threads = 1;
  std::size_t max_fan_in = 0;   // 0: as many as memory and descriptors allow
  std::size_t descriptors = 0;  // for files of runs
};

// Throws as plan_merge.
MergePlan plan_run_merge(const RunStats& runs, const MergeResources& resources);

// Bytes of encoded lists that the writer takes at a time.
std::size_t merge_batch_bytes(std::size_t budget_bytes, unsigned threads);

// The descriptors of this process that are left for files of runs.
std::size_t run_descriptors();

}  // namespace spillway
