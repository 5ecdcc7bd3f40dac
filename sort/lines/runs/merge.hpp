// Merges sorted runs in parallel over ranges of records (sort/lines/runs/ranges.hpp), in passes if they are too many.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sort/lines/block/output.hpp"
#include "sort/lines/keys/long_lines.hpp"
#include "sort/lines/runs/run.hpp"

namespace spillway {

struct MergeResources {
  std::size_t memory_bytes = 0;
  std::size_t block_bytes = 0;  // of records, in a block
  std::size_t range_bytes = 0;  // of records that a thread merges at once; 0: what fits the memory
  std::size_t most_runs = 0;    // in one merge; 0: as many as fit the memory
  LineCopies output = {};       // of long lines
  std::function<void()> check;  // called between ranges and writes, by several threads at once; throws to stop
};

// Whether merge_runs() merges them in one pass and with all threads.
bool merges_at_once(std::span<const Run> runs, const LineOrder& order, const MergeResources& resources);

// About as much memory as may be taken from such a merge of these runs and two more.
std::size_t memory_beside_merge(std::span<const Run> runs, const MergeResources& resources);

// Merges all runs into `output`, until that is full; in passes if there are more than fit the memory. Parallel, unless
// lines are so long that their copies would not fit. Two runs are merged at least.
void merge_runs(std::vector<Run> runs, RunSpace& space, const LineOrder& order, const MergeResources& resources,
                LineOutput& output);

}  // namespace spillway
