// One indexing job from INPUT arguments to a published index: plan, ingest (parse, sort, spill), duplicate ids, merge,
// publish.
#pragma once

#include "indexer/options/index_options.hpp"
#include "indexer/options/index_report.hpp"
#include "indexer/options/job_context.hpp"

namespace spillway {

// Throws an Error that carries the command's exit code; then neither an index nor scratch files are left. After an
// InputError `report` holds what was counted so far.
void run_index(const IndexOptions& options, const IndexContext& context, IndexReport& report);

}  // namespace spillway
