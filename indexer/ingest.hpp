// The first half of a job: parsing threads fill blocks, blocks are sorted and become runs. In mode cpu+ a block is
// sorted while the next is parsed; in mode cpu one after the other, each on all threads.
#pragma once

#include <string>

#include "indexer/block_sorter.hpp"
#include "indexer/index_job.hpp"
#include "indexer/index_plan.hpp"
#include "indexer/run_store.hpp"
#include "indexer/skip_log.hpp"

namespace spillway {

struct IngestSetup {
  const IndexOptions& options;
  const ContentOptions& content;  // with versions
  const CorpusPlan& corpus;
  const IndexPlan& plan;
  const BlockSorter& sorter;
  const IndexContext& context;
  MemoryBudget& budget;
  TempSpace& temp;
  unsigned threads = 1;
};

struct IngestFigures {
  double parse_seconds = 0;  // busy, summed over threads; reading and unpacking included
  double wall_seconds = 0;
  BlockSortFigures sort;
  std::uint64_t blocks = 0, chunks = 0, repaired = 0, overlong_tokens = 0, fields_cut = 0;
};

// Reads the whole input into runs. Throws what stopped it (InputError, InterruptedError, IoError...).
IngestFigures ingest(const IngestSetup& setup, RunStore& runs, SkipLog& skips);

}  // namespace spillway
