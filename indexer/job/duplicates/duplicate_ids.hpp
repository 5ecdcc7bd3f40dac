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

#include "indexer/job/duplicates/id_hashes.hpp"
#include "indexer/job/duplicates/id_list.hpp"
#include "indexer/job/duplicates/placed_ids.hpp"
#include "indexer/job/duplicates/same_ids.hpp"
#include "io/format/content_options.hpp"
#include "io/index/writer.hpp"
#include "io/memory/budget.hpp"
#include "io/scratch/temp_space.hpp"
#include "merge/index/dropped_documents.hpp"
#include "merge/index/length_codes.hpp"
#include "merge/input/merge_input.hpp"
#include "sort/external/string_sort.hpp"

namespace spillway {

// Hears of a document that is dropped because an earlier one, which is kept, has its id. It may be one of the index
// that the job appends to.
using DuplicateListener = std::function<void(std::string_view id, std::uint32_t kept, std::uint32_t dropped)>;

// Hears of a document that is dropped because it repeats an earlier one.
using RepeatListener = std::function<void(std::uint32_t number, const RunDocument& document)>;

enum class IdSort : std::uint8_t {
  kAtOnce,      // by the constructor
  kWhenNeeded,  // by sort(), if the constructor finds without it that no document is dropped for its id
};

struct IdTableResources {
  MemoryBudget& budget;
  TempSpace& temp;
  const StringSorter& sorter;
  std::size_t memory_bytes = 0;  // of the sort, reserved only if ids must be sorted; at least 256 KiB are used
  IdList* to_drop = nullptr;     // ids of documents to drop under any policy; may be null
  std::function<void()> check_cancelled = {};  // called often; throws to stop. May be empty
  unsigned threads = 1;                        // of the calling thread's TBB arena
  std::size_t documents_bytes = 0;             // memory of reading the documents of one input
  DuplicateListener on_duplicate = {};         // in order of id. May be empty
  AppendedTo appended_to = {};                 // names the first documents of the inputs
  IdList* urls_to_drop = nullptr;              // as to_drop
  // Drops documents that repeat another before duplicate ids are searched; none of the index that others are appended
  // to. Requires for kExact: that index stores texts.
  Dedup dedup = Dedup::kNone;
  RepeatListener on_repeat = {};  // in order of number. May be empty. Requires: no lists of what to drop
  IdSort id_sort = IdSort::kAtOnce;
  IdHash id_hash = hash_id;  // shows whether any two ids may be the same
};

// The constructor reads the documents of all inputs, twice if ids ascend only at first. Ascending ids need neither a
// sort nor memory. Documents that an input has already dropped remain dropped, and documents that `to_drop` names are
// dropped before duplicates are searched. If no input stores ids, the id of a document is its ordinal, from 1. Sorts in
// the calling thread's TBB arena. The inputs outlive it.
class IdTable {
 public:
  struct Duplicate {
    std::string value;                    // what both have
    std::uint32_t kept = 0, dropped = 0;  // source numbers
  };
  static constexpr std::size_t kExamples = 5;

  // The inputs, in order, are one source; `lengths` receives the length of each of its documents. Throws InputError,
  // which names the id and both documents, at the first duplicate with policy kFail; KnownIds::kRefuse throws one for
  // all known ids together.
  IdTable(std::span<const MergeInput* const> inputs, DuplicateIds policy, const IdTableResources& resources,
          LengthCodes& lengths);

  const DroppedDocuments& dropped() const { return dropped_; }
  std::uint64_t duplicate_count() const { return duplicates_.count; }  // documents dropped for their id
  std::uint64_t repeat_count() const { return repeats_.count; }        // ... for `dedup`
  std::uint64_t known_count() const { return known_.count; }           // ... that the index has already
  std::uint64_t listed_count() const { return listed_count_; }         // documents that were to be dropped
  std::uint64_t replaced_count() const { return replaced_count_; }     // documents that appended ones replace
  // The first few of them, in order of id.
  const std::vector<Duplicate>& examples() const { return duplicates_.examples; }
  const std::vector<Duplicate>& known_examples() const { return known_.examples; }
  const std::vector<Duplicate>& repeats() const { return repeats_.examples; }  // in order of number
  // Whether the ids are still to be sorted, which only IdSort::kWhenNeeded leaves to sort().
  bool must_sort() const { return is_unsorted_; }
  // Sorts them, in the calling thread's TBB arena, which may be another than that of the constructor. Idempotent. May
  // run beside threads that call the functions above, but not beside must_sort() and write_order().
  void sort();
  // Streams the kept documents with stored ids, renumbered, in order of id; calls sort() before. Call it once: it
  // releases the memory of the sort.
  void write_order(IndexWriter& writer);

 private:
  struct Duplicates {
    std::uint64_t count = 0;
    std::vector<Duplicate> examples;
  };
  struct FirstLook {
    bool ascends = true;    // each document has a larger id than the one before it
    bool any_hole = false;  // an input has dropped documents
  };
  bool take_lengths(std::span<const MergeInput* const> inputs, const IdTableResources& resources,
                    LengthCodes& lengths) const;
  FirstLook look(std::span<const MergeInput* const> inputs, LengthCodes& lengths) const;
  void take_ids(std::span<const MergeInput* const> inputs, DuplicateIds policy, const IdTableResources& resources,
                LengthCodes& lengths);
  bool read_ids(std::span<const MergeInput* const> inputs, DuplicateIds policy, const IdTableResources& resources,
                LengthCodes& lengths);
  bool may_repeat(PlacedIds& documents, std::span<StringRef> ids, IdHash hash);
  void add_ids(std::span<const MergeInput* const> inputs, LengthCodes& lengths);
  bool is_id_listed(const RunDocument& document, std::uint64_t place, const IdTableResources& resources) const;
  void drop_known(std::span<const MergeInput* const> inputs, const IdTableResources& resources);
  void drop_replaced_urls(std::span<const MergeInput* const> inputs, const IdTableResources& resources);
  void drop_repeats(std::span<const MergeInput* const> inputs, const IdTableResources& resources);
  void tell_of_repeats(std::span<const MergeInput* const> inputs, const IdTableResources& resources) const;
  void drop_duplicates(DuplicateIds policy, const IdTableResources& resources);
  void drop(std::uint32_t document, const IdTableResources& resources);

  std::uint64_t document_count_ = 0;
  DroppedDocuments dropped_;
  Duplicates duplicates_, known_, repeats_;
  std::uint64_t listed_count_ = 0, replaced_count_ = 0;
  std::unique_ptr<ExternalStringSort> sort_;  // null: no ids, or ids in order
  bool is_unsorted_ = false;                  // of what sort_ has
  bool has_ids_ = false;
  std::function<void()> check_cancelled_;
};

}  // namespace spillway
