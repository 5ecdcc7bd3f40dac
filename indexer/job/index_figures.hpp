// The figures of an indexing job that its two halves, ingest and merge, have counted.
#pragma once

#include "indexer/ingest/ingest.hpp"
#include "indexer/job/final_merge.hpp"
#include "indexer/options/index_report.hpp"

namespace spillway {

void add_counts(const IngestStats& ingest, const MergeStats& merge, IndexReport& report);

// The seconds of the stages before and after ingest and merge.
struct JobSeconds {
  double revisits = 0, finish = 0;
};

// Fills in the stages and the bottleneck. Requires: the report has the bytes of input, index and spilled runs.
void add_stages(const IngestStats& ingest, const MergeStats& merge, const JobSeconds& seconds, IndexReport& report);

}  // namespace spillway
