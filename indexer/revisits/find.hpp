// The pass over the input that --revisits follow needs before it is parsed: reads the headers of all records of web
// archives, and finds for each revisit the record whose content it repeats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "corpora/reader/corpus_reader.hpp"
#include "corpora/revisits/table.hpp"
#include "indexer/options/job_context.hpp"
#include "io/memory/budget.hpp"
#include "io/scratch/temp_space.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

struct RevisitSearch {
  const CorpusPlan& corpus;
  const CorpusOptions& options;
  const ReaderLimits& limits;  // as those of the pass that parses
  const IndexContext& context;
  MemoryBudget& budget;
  TempSpace& temp;
  const StringSorter& sorter;
  std::size_t sort_bytes = 0;  // of each sort, at most; at least 256 KiB are used
};

struct FoundRevisits {
  std::unique_ptr<RevisitTable> table;  // nullptr: no revisit is to be followed
  std::uint64_t revisits = 0, followed = 0;
};

// Throws UsageError if the input cannot be read twice, or if it is a part of one.
void check_revisits(const CorpusPlan& corpus, const CorpusOptions& options);

// Damaged records, and faults of containers, are passed over: the pass that parses counts them. Throws
// InterruptedError, and what readers and sorts throw. Sorts in the calling thread's TBB arena.
FoundRevisits find_revisits(const RevisitSearch& search);

}  // namespace spillway
