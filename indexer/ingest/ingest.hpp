// The first half of a job: threads parse the input into blocks, which are sorted into runs
// (indexer/ingest/block_queue.hpp). In the modes cpu+ and gpu+ a block is sorted while the next one is parsed; in cpu
// and gpu the two alternate.
#pragma once

#include <functional>

#include "indexer/ingest/block_queue.hpp"
#include "indexer/ingest/skip_log.hpp"
#include "indexer/options/index_options.hpp"
#include "indexer/options/job_context.hpp"
#include "indexer/plan/memory.hpp"
#include "indexer/run/store.hpp"

namespace spillway {

struct IngestSetup {
  const IndexOptions& options;
  const ContentOptions& content;  // versions included
  const CorpusPlan& corpus;
  const IndexPlan& plan;
  IndexMode mode;  // never kAuto
  BlockSorters sorters;
  // The bytes that a chunk takes of a block's, sorting included.
  std::function<std::size_t(const ParsedChunk&)> block_cost;
  const IndexContext& context;
  MemoryBudget& budget;
  TempSpace& temp;
  unsigned threads = 1;
  PinnedSlotPool* pinned_slots = nullptr;  // for chunks of tokens; may be null
  Checkpoints* checkpoints = nullptr;      // of a resumable job, which goes on from their start()
  const RevisitTable* revisits = nullptr;  // of the input (indexer/revisits/find.hpp)
};

struct IngestStats {
  double parse_seconds = 0;  // busy, summed over threads, with reading and unpacking
  double wall_seconds = 0;
  BlockStats block;
  std::uint64_t chunks = 0, pinned_chunks = 0, repaired = 0, overlong_tokens = 0, fields_cut = 0;
};

// How many of a job's parsers begin no task while blocks wait for lanes of a GPU: those above seven eighths of the
// processors, if the job has a thread for each processor. A lane waits for its GPU many times in a pass and, where
// parsers have all processors, most likely each time for one of them. 6.48 GB of source code took 7 % less time with
// 16 threads on 16 processors (docs/results/gpu_lanes.md).
unsigned parsers_that_pause(unsigned parsers, unsigned threads, unsigned processors);

// Reads the input into runs, which follow those that are in the store. Afterwards the budget still keeps the pages of
// chunks (MemoryBudget::drop_kept()). Throws what stopped it: InputError, InterruptedError, IoError... After a
// GpuStartError the store is as it was.
IngestStats ingest(const IngestSetup& setup, RunStore& runs, SkipLog& skips);

}  // namespace spillway
