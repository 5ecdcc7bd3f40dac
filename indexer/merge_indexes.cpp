#include "indexer/merge_indexes.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>

#include "indexer/duplicate_ids.hpp"
#include "io/error.hpp"
#include "merge/index_input.hpp"
#include "merge/index_merge.hpp"
#include "sort/sort_plan.hpp"

namespace spillway {

namespace {

constexpr std::size_t kLeastBatchBytes = std::size_t{64} << 10, kMostBatchBytes = std::size_t{1} << 20;

void check_same(const IndexReader& first, const IndexReader& other) {
  const ContentOptions &a = first.options(), &b = other.options();
  if (a == b) return;
  std::string differing;
  const auto compare = [&](bool equal, const char* name) {
    if (!equal) differing += differing.empty() ? name : std::string(", ") + name;
  };
  compare(a.tokenizer == b.tokenizer, "tokenizer");
  compare(a.stop_words == b.stop_words, "stop words");
  compare(a.stemmer == b.stemmer, "stemmer");
  compare(a.max_term_bytes == b.max_term_bytes, "longest term");
  compare(a.max_document_bytes == b.max_document_bytes, "longest document");
  compare(a.positions == b.positions, "positions");
  compare(a.store == b.store, "stored fields");
  compare(a.duplicate_ids == b.duplicate_ids, "policy for duplicate ids");
  compare(a.icu_version == b.icu_version, "version of ICU");
  compare(a.stemmer_version == b.stemmer_version, "version of the stemmer");
  compare(a.zstd_version == b.zstd_version, "version of zstd");
  throw UsageError("the indexes " + printable(first.directory()) + " and " + printable(other.directory()) +
                   " were made with different options (" + differing + "): merge indexes of one kind only");
}

// The indexes, open, as the inputs of a merge.
class OpenIndexes {
 public:
  OpenIndexes(FileSystem& files, const std::vector<std::string>& directories) {
    if (directories.empty()) throw UsageError("a merge needs at least one index");
    for (const std::string& directory : directories) {
      readers_.push_back(std::make_unique<IndexReader>(files, directory));
      check_same(*readers_.front(), *readers_.back());
      inputs_.push_back(std::make_unique<IndexInput>(*readers_.back()));
      views_.push_back(inputs_.back().get());
    }
  }

  std::span<const MergeInput* const> inputs() const { return views_; }
  const ContentOptions& options() const { return readers_.front()->options(); }

  // As the job over all would have counted; what the indexes had dropped is dropped again.
  IndexTotals totals(const OccurrenceSum& newly_dropped) const {
    IndexTotals totals;
    totals.source_document_count = source_document_count(views_);
    totals.dropped_sum = newly_dropped;
    const std::vector<std::uint64_t> bases = document_bases(views_);
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      totals.source_sum.join(readers_[i]->counts().source_sum, bases[i]);
      totals.dropped_sum.join(readers_[i]->counts().dropped_sum, bases[i]);
    }
    return totals;
  }

 private:
  std::vector<std::unique_ptr<IndexReader>> readers_;
  std::vector<std::unique_ptr<IndexInput>> inputs_;
  std::vector<const MergeInput*> views_;
};

// As many threads, and as large batches, as what is left of the budget holds.
IndexMergeOptions plan_lists(std::span<const MergeInput* const> inputs, const MemoryBudget& budget,
                             const IndexJoinOptions& options) {
  IndexMergeOptions result;
  result.check_cancelled = options.check_cancelled;
  result.progress = options.progress;
  result.threads = std::max(1u, options.threads);
  result.batch_bytes = kMostBatchBytes;
  while (merge_lists_memory(inputs, result) > budget.free_bytes()) {
    if (result.batch_bytes > kLeastBatchBytes) {
      result.batch_bytes /= 2;
    } else if (result.threads > 1) {
      --result.threads;
    } else {
      throw BudgetError("merging " + std::to_string(inputs.size()) + " indexes needs " +
                        std::to_string(merge_lists_memory(inputs, result)) + " bytes, and " +
                        std::to_string(budget.free_bytes()) + " are left: raise --memory, or merge some of them first");
    }
  }
  return result;
}

}  // namespace

IndexJoinResult merge_indexes(FileSystem& files, const std::vector<std::string>& directories,
                              const std::string& output_directory, MemoryBudget& budget, TempSpace& temp,
                              const IndexJoinOptions& options) {
  const OpenIndexes indexes(files, directories);
  const auto inputs = indexes.inputs();
  IndexWriter writer(files, output_directory, indexes.options());
  const Reservation writer_memory = budget.reserve(IndexWriter::memory_bytes(), "the index writer");
  const StringSorter& sorter = *find_string_sorter(choose_string_sorter("auto", 0, 0, {}).name);
  tbb::task_arena arena(static_cast<int>(std::max(1u, options.threads)));
  IndexJoinResult result;
  Buffer length_codes;
  DroppedDocuments dropped;
  arena.execute([&] {
    IdTable ids(inputs, indexes.options().duplicate_ids, {budget, temp, sorter, budget.free_bytes() / 3});
    length_codes = merge_documents(inputs, ids.dropped(), writer, budget);
    ids.write_order(writer);
    result.duplicate_documents = ids.duplicate_count();
    dropped = ids.take_dropped();
  });
  const IndexMergeOptions list_options = plan_lists(inputs, budget, options);
  const Reservation list_memory = budget.reserve(merge_lists_memory(inputs, list_options), "merging lists");
  const IndexMergeResult merged = merge_lists(inputs, dropped, length_codes.span(), writer, list_options);
  writer.finish(indexes.totals(merged.dropped_sum));
  result.documents = merged.document_count;
  result.postings = merged.posting_count;
  result.occurrences = merged.occurrence_count;
  result.bytes = writer.bytes_written();
  return result;
}

}  // namespace spillway
