// The second half of a job: runs (or, in a job that merges, indexes) become an index. Passes before the last make
// fewer, larger runs; then documents with duplicate ids are found, and the last pass writes the index.
#pragma once

#include "indexer/job/duplicate_ids.hpp"
#include "indexer/options/job_context.hpp"
#include "indexer/run/store.hpp"
#include "io/index/writer.hpp"

namespace spillway {

struct MergeSetup {
  const ContentOptions& content;
  std::size_t run_block_bytes;  // of new runs
  std::size_t id_sort_bytes;    // the sort of ids takes at most so much
  const StringSorter& id_sorter;
  const IndexContext& context;
  MemoryBudget& budget;
  TempSpace& temp;
  unsigned threads = 1;
  IdList* to_drop = nullptr;   // documents to leave out; may be null
  std::size_t max_fan_in = 0;  // 0: as many as memory and descriptors allow
};

struct MergeStats {
  std::uint64_t passes = 0;  // the last one included
  std::uint64_t documents = 0, duplicate_documents = 0, listed_documents = 0, postings = 0, occurrences = 0;
  std::vector<IdTable::Duplicate> duplicates;                                       // the first few
  double pass_seconds = 0, id_seconds = 0, document_seconds = 0, list_seconds = 0;  // wall
  double list_busy_seconds = 0;                                                     // of all threads that merged lists
  std::uint64_t rewritten_bytes = 0;
  std::string plan;
};

// Writes all of the index but its end: the caller finishes the writer with the totals returned. Uses up the runs.
// duplicates_found(count) may throw to stop before the lists are merged.
IndexTotals merge_into_index(const MergeSetup& setup, RunStore& runs, IndexWriter& writer,
                             const std::function<void(std::uint64_t)>& duplicates_found, MergeStats& stats);

}  // namespace spillway
