// How the runs (or indexes) of a job become one index within its memory: what they are to plan_merge
// (merge/merge_plan.hpp). Pure, so that a job can be planned before it has any run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/format/content_options.hpp"
#include "merge/merge_plan.hpp"

namespace spillway {

struct RunStats {
  std::vector<std::uint64_t> bytes;  // of each, in document order
  std::uint64_t documents = 0;       // of all
  std::size_t cursor_bytes = 0;      // of the largest term cursor
  std::size_t open_bytes = 0;        // what all of them hold while they are open, beside cursors
  std::size_t most_open_bytes = 0;   // what one of them holds at most, or a run that passes make of them
  bool any_file = true;              // files take descriptors; indexes and runs in memory do not
};

struct MergeResources {
  std::size_t budget_bytes = 0, free_bytes = 0;  // of the job; what is left of it for the merge
  std::size_t run_block_bytes = 0;               // of new runs
  std::size_t max_term_bytes = 0;
  StorePolicy store = StorePolicy::kMeta;
  bool has_positions = false;
  unsigned threads = 1;
  std::size_t max_fan_in = 0;   // 0: as many as memory and descriptors allow
  std::size_t descriptors = 0;  // that runs may take
};

// Throws as plan_merge.
MergePlan plan_run_merge(const RunStats& runs, const MergeResources& resources);

// Encoded lists handed to the writer at a time.
std::size_t merge_batch_bytes(std::size_t budget_bytes, unsigned threads);

// Descriptors of this process that runs may take.
std::size_t run_descriptors();

}  // namespace spillway
