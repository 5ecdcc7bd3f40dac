// Reads the documents of a merge's inputs: finds documents with the same external id by an external sort of all ids,
// keeps the sorted ids for the index, and collects the lengths, which the postings lists need.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "indexer/job/id_list.hpp"
#include "indexer/options/index_options.hpp"
#include "indexer/options/index_report.hpp"
#include "io/file/temp_space.hpp"
#include "io/format/content_options.hpp"
#include "io/index/writer.hpp"
#include "io/memory/budget.hpp"
#include "merge/index/dropped_documents.hpp"
#include "merge/index/length_codes.hpp"
#include "merge/input/merge_input.hpp"
#include "sort/external/string_sort.hpp"

namespace spillway {

// Hears of a document that is dropped because it repeats an earlier one; `offset` is its number.
using DuplicateListener = std::function<void(const SkippedRecord&)>;

struct IdTableResources {
  MemoryBudget& budget;
  TempSpace& temp;
  const StringSorter& sorter;
  std::size_t memory_bytes = 0;  // of the sort, reserved only if ids must be sorted; at least 256 KiB are used
  IdList* to_drop = nullptr;     // documents to drop under any policy; may be null
  std::function<void()> check_cancelled = {};  // called often; throws to stop. May be empty
  unsigned threads = 1;                        // of the calling thread's TBB arena
  std::size_t documents_bytes = 0;             // memory of reading the documents of one input
  // Hears of repeats in their order, then of duplicate ids in order of id. May be empty. Requires: no `to_drop`.
  DuplicateListener on_duplicate = {};
  Dedup dedup = Dedup::kNone;  // drops documents that repeat another before duplicate ids are searched
};

// The constructor reads the documents of all inputs, twice if ids ascend only at first. Ascending ids need neither a
// sort nor memory. Documents that an input has already dropped remain dropped, and documents that `to_drop` names are
// dropped before duplicates are searched. If no input stores ids, the id of a document is its ordinal, from 1. Sorts in
// the calling thread's TBB arena.
class IdTable {
 public:
  struct Duplicate {
    std::string value;                    // what both have
    std::uint32_t kept = 0, dropped = 0;  // source numbers
  };
  static constexpr std::size_t kExamples = 5;

  // The inputs, in order, are one source; `lengths` receives the length of each of its documents. Policy kFail throws
  // InputError, which names the id and both documents, at the first duplicate.
  IdTable(std::span<const MergeInput* const> inputs, DuplicateIds policy, const IdTableResources& resources,
          LengthCodes& lengths);

  const DroppedDocuments& dropped() const { return dropped_; }
  std::uint64_t duplicate_count() const { return duplicate_count_; }    // documents dropped for their id
  std::uint64_t repeat_count() const { return repeat_count_; }          // ... for `dedup`
  std::uint64_t listed_count() const { return listed_count_; }          // documents that were to be dropped
  const std::vector<Duplicate>& examples() const { return examples_; }  // the first few, in order of id
  const std::vector<Duplicate>& repeats() const { return repeats_; }    // the first few of the source
  // Streams the kept documents with stored ids, renumbered, in order of id. Call it once: it releases the memory of the
  // sort.
  void write_order(IndexWriter& writer);

 private:
  struct FirstLook {
    bool ascends = true;    // each document has a larger id than the one before it
    bool any_hole = false;  // an input has dropped documents
  };
  bool take_lengths(std::span<const MergeInput* const> inputs, const IdTableResources& resources,
                    LengthCodes& lengths) const;
  FirstLook look(std::span<const MergeInput* const> inputs, LengthCodes& lengths) const;
  void sort_ids(std::span<const MergeInput* const> inputs, const IdTableResources& resources, LengthCodes& lengths);
  bool place_ids(std::span<const MergeInput* const> inputs, unsigned threads, LengthCodes& lengths);
  void drop_known(std::span<const MergeInput* const> inputs, const IdTableResources& resources);
  void drop_repeats(std::span<const MergeInput* const> inputs, const IdTableResources& resources);
  void tell_of_repeats(std::span<const MergeInput* const> inputs, const IdTableResources& resources) const;
  void drop_duplicates(DuplicateIds policy, const IdTableResources& resources);
  void drop(std::uint32_t document, const IdTableResources& resources);

  std::uint64_t document_count_ = 0;
  DroppedDocuments dropped_;
  std::uint64_t duplicate_count_ = 0, repeat_count_ = 0, listed_count_ = 0;
  std::vector<Duplicate> examples_, repeats_;
  std::unique_ptr<ExternalStringSort> sort_;  // null: no ids, or ids in order
  bool has_ids_ = false;
  std::function<void()> check_cancelled_;
};

}  // namespace spillway
