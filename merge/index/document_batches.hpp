// The documents of a merge, encoded on several threads and appended in order: one thread takes 115 to 190 ns for each,
// and 16 threads merge the lists of short documents sooner.
#pragma once

#include <span>

#include "io/index/writer.hpp"
#include "io/memory/budget.hpp"
#include "merge/index/dropped_documents.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway {

// All of them live longer.
struct DocumentMergeJob {
  std::span<const MergeInput* const> inputs;
  const DroppedDocuments& dropped;
  IndexWriter& writer;
  MemoryBudget& budget;
  unsigned threads = 1;
  const StopCheck& check;  // called often, on any thread; throws to stop
};

// Appends all documents to the writer, the same bytes as one after the other. Takes memory for two batches a thread,
// and fewer threads if the budget lacks it. Returns false and appends nothing where fewer than two threads are left, an
// input cannot be read in parallel, or texts are stored. Throws as for_each_document(). Requires: the source is whole
// at both ends.
bool merge_document_batches(const DocumentMergeJob& job);

// Appends a document that is not cut, or its number if it is dropped.
void append_merged_document(std::uint32_t number, const RunDocument& document, const DroppedDocuments& dropped,
                            IndexWriter& writer);

}  // namespace spillway
