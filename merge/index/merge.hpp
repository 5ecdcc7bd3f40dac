// The last pass: runs (or indexes) become one index. Postings are decoded, renumbered without the dropped documents,
// re-blocked and encoded in parallel over term ranges; one ordered writer appends them (design, decisions 4 and 6).
#pragma once

#include <functional>
#include <span>

#include "io/index/writer.hpp"
#include "io/memory/budget.hpp"
#include "merge/index/dropped_documents.hpp"
#include "merge/index/length_codes.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway {

// Progress of the last pass; may be called from any thread, one at a time.
using MergeProgress = std::function<void(std::uint64_t postings_done)>;

// Work of another kind, done while lists are merged: `check` is to be called often and throws where the lists have
// failed meanwhile.
using WorkBeside = std::function<void(const std::function<void()>& check)>;

struct IndexMergeOptions {
  unsigned threads = 1;                            // term ranges merged side by side
  std::size_t batch_bytes = std::size_t{1} << 20;  // encoded lists handed to the writer at a time
  std::function<void()> check_cancelled;           // called often; throws to stop. May be empty
  MergeProgress progress;                          // may be empty
  // On a thread of its own, or, where `threads` are as many as most_threads, on one of them before it merges any list.
  // What it throws ends the merge. May be empty.
  WorkBeside beside = {};
  unsigned most_threads = 1;
  // Lists that may wait for those before them, beside two batches a thread: too little, and threads wait instead.
  std::size_t ahead_bytes = 0;
};

struct IndexMergeResult {
  std::uint64_t document_count = 0;
  std::uint64_t posting_count = 0;
  std::uint64_t occurrence_count = 0;
  ContentChecksum dropped_sum;  // share of the dropped documents, in source numbering
  double cpu_seconds = 0;       // of the threads while they merged lists, summed
};

// Streams the documents of all inputs, in order, to the writer, without the dropped ones: open border documents are
// joined. What is stored of them is compressed on up to `threads` threads, fewer where `budget` has no room for their
// buffers. `check` is called for every document and throws to stop; may be empty.
void merge_documents(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped, IndexWriter& writer,
                     MemoryBudget& budget, unsigned threads = 1, const std::function<void()>& check = {});

// Streams all lists to the writer. Checks on the way that every input's postings give that input's own sum and counts,
// and that kept and dropped sums add up (FormatError: an input is corrupt). Does not finish the writer. Runs on the
// calling thread's TBB arena or own threads; at most options.threads at work.
IndexMergeResult merge_lists(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped,
                             std::span<const std::uint8_t> length_codes, IndexWriter& writer,
                             const IndexMergeOptions& options);

// Documents of the source: the inputs' documents, with border documents that are open on both sides counted once.
std::uint64_t source_document_count(std::span<const MergeInput* const> inputs);
// What the lists of an index of these inputs take, roughly.
std::uint64_t estimated_list_bytes(std::span<const MergeInput* const> inputs);
// Number, in the source, of the first document of each input.
std::vector<std::uint64_t> document_bases(std::span<const MergeInput* const> inputs);
// The inputs' sums joined at those bases.
ContentChecksum source_sum(std::span<const MergeInput* const> inputs);

}  // namespace spillway
