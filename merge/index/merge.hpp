// The final merge: runs, or indexes, become one index. Postings are decoded, renumbered without the dropped documents,
// cut into the index's blocks and encoded, in parallel over term ranges; one writer appends the lists in order. The
// content checksum of every input is derived again from its postings, and must be the one that its maker stored.
//
// Time: O(postings), plus the term scans of TermMergeCursor. Memory: for each thread a cursor over every input and two
// batches, and `ahead_bytes`.
#pragma once

#include <functional>
#include <span>

#include "io/base/timeline.hpp"
#include "io/index/writer.hpp"
#include "io/memory/budget.hpp"
#include "merge/index/batch_lane.hpp"
#include "merge/index/dropped_documents.hpp"
#include "merge/index/length_codes.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway {

// Receives the number of postings merged so far; called from any thread, one at a time.
using MergeProgress = std::function<void(std::uint64_t postings_done)>;

// Other work, done while lists are merged. It must call `check` often, which throws once the lists have failed.
using WorkBeside = std::function<void(const StopCheck& check)>;

struct IndexMergeOptions {
  unsigned threads = 1;                            // term ranges merged in parallel
  std::size_t batch_bytes = std::size_t{1} << 20;  // encoded lists handed to the writer at a time
  StopCheck check;
  MergeProgress progress;  // may be empty
  // Runs on a thread of its own. If `threads` >= most_threads, that thread is one of the `threads` and merges lists
  // afterwards. An exception ends the merge. May be empty.
  WorkBeside beside = {};
  unsigned most_threads = 1;
  // Memory for batches that wait for those of earlier ranges, in addition to two batches a thread. Threads block when
  // it is full.
  std::size_t ahead_bytes = 0;
  Timeline* timeline = nullptr;
  // Lanes that merge lists, each for one of the threads. May be null.
  BatchLanes* lanes = nullptr;
};

struct IndexMergeResult {
  std::uint64_t document_count = 0;
  std::uint64_t posting_count = 0;
  std::uint64_t occurrence_count = 0;
  ContentChecksum dropped_sum;      // share of the dropped documents, in source numbering
  double cpu_seconds = 0;           // summed over the threads, while they merged lists
  std::uint64_t lane_postings = 0;  // of the inputs, that lanes merged
};

// Streams the documents of all inputs, in order and without the dropped ones, to the writer. Compresses what is stored
// on up to `threads` threads, fewer if `budget` has no room for their buffers. Calls `check` for every document.
void merge_documents(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped, IndexWriter& writer,
                     MemoryBudget& budget, unsigned threads = 1, const StopCheck& check = {});

// Streams all lists to the writer and does not finish it. Throws FormatError naming the input if its postings differ
// from its sum or counts, or if the source begins or ends inside a document. At most options.threads threads merge.
IndexMergeResult merge_lists(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped,
                             std::span<const std::uint8_t> length_codes, IndexWriter& writer,
                             const IndexMergeOptions& options);

}  // namespace spillway
