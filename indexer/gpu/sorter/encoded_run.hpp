// The host's half of a visit: encoded lists into the run, as every block sorter writes it.
#pragma once

#include "indexer/gpu/pipeline/gpu_lane.hpp"

namespace spillway {

// Parallel inside the calling thread's TBB arena. Throws as BlockSorter::write_run.
RunSummary write_encoded_run(const Block& block, const BlockSortOptions& options, const EncodedLists& lists,
                             WritableFile& file, BlockSortStats& stats);

}  // namespace spillway
