// The second half of a job: runs (or, in a job that merges, indexes) become one index. If memory or descriptors do not
// suffice for all runs at once, passes compact them to fewer, larger runs. Then documents with duplicate ids are found,
// and the last pass writes the index.
#pragma once

#include "indexer/job/duplicates/duplicate_ids.hpp"
#include "indexer/options/job_context.hpp"
#include "indexer/resume/checkpoints.hpp"
#include "indexer/run/store.hpp"
#include "io/index/writer.hpp"
#include "merge/index/batch_lane.hpp"

namespace spillway {

struct MergeSetup {
  const ContentOptions& content;
  std::size_t run_block_bytes;  // of new runs
  std::size_t id_sort_bytes;    // for the sort of ids, at most
  const StringSorter& id_sorter;
  const IndexContext& context;
  MemoryBudget& budget;
  TempSpace& temp;
  unsigned threads = 1;
  IdList* to_drop = nullptr;           // ids of documents to leave out; may be null
  IdList* urls_to_drop = nullptr;      // URLs of such documents; may be null
  std::size_t max_fan_in = 0;          // 0: what memory and descriptors allow
  Checkpoints* checkpoints = nullptr;  // of a resumable job: passes are committed
  DuplicateListener on_duplicate = {};
  AppendedTo appended_to = {};
  Dedup dedup = Dedup::kNone;
  RepeatListener on_repeat = {};
  BatchLanes* lanes = nullptr;               // of GPUs that merge lists; may be null
  std::function<void()> before_passes = {};  // called before runs are compacted; may be empty
};

struct MergeStats {
  std::uint64_t passes = 0;  // including the last one
  std::uint64_t documents = 0, duplicate_documents = 0, listed_documents = 0, postings = 0, occurrences = 0;
  std::uint64_t repeated_documents = 0;                        // dropped for `dedup`
  std::uint64_t known_documents = 0, replaced_documents = 0;   // of a job that appends
  std::vector<IdTable::Duplicate> duplicates, known, repeats;  // the first few
  // Wall. A sort of ids that waits for the stage of documents is part of document_seconds, any other of id_seconds.
  double pass_seconds = 0, id_seconds = 0, document_seconds = 0, list_seconds = 0;
  double list_busy_seconds = 0;  // of all threads that merged lists
  std::uint64_t rewritten_bytes = 0;
  std::uint64_t gpu_postings = 0;  // of the runs, that GPUs merged
  std::string plan;
};

// Writes all of the index except its end: the caller finishes the writer with the returned totals. Consumes runs that
// are compacted. Calls duplicates_found(count), which may throw to stop, before the lists are merged. Throws
// BudgetError if not even two runs fit.
IndexTotals merge_into_index(const MergeSetup& setup, RunStore& runs, IndexWriter& writer,
                             const std::function<void(std::uint64_t)>& duplicates_found, MergeStats& stats);

}  // namespace spillway
