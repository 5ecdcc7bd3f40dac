// Compaction: neighbouring runs become one larger run. RunCompactor compacts small runs in memory while blocks are
// sorted; the final merge compacts runs in passes if it cannot open all of them at once.
#pragma once

#include <memory>
#include <span>

#include "indexer/run/store.hpp"
#include "merge/run/merge.hpp"

namespace spillway {

// Where the compacted run goes.
enum class CompactTo {
  kScratch,
  kMemoryIfRoom,  // to memory if that leaves half of the memory for runs to the runs to come, else to scratch
};

// Merges the group, which it opens for options.threads cursors each. The group still holds its runs afterwards.
// O(bytes). Throws what merge_runs throws, and IoError.
std::unique_ptr<MergeSource> compact(std::span<const std::unique_ptr<MergeSource>> group, RunStore& store, CompactTo to,
                                     const RunMergeOptions& options);

}  // namespace spillway
