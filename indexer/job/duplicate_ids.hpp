// The first reading of a merge's documents: finds those with the same external id by an external sort of the ids of all
// inputs, keeps what the sort gave for the index's list of ids, and takes the lengths, which the lists need.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "indexer/job/id_list.hpp"
#include "io/file/temp_space.hpp"
#include "io/format/content_options.hpp"
#include "io/index/writer.hpp"
#include "io/memory/budget.hpp"
#include "merge/index/dropped_documents.hpp"
#include "merge/index/length_codes.hpp"
#include "merge/input/merge_input.hpp"
#include "sort/external/string_sort.hpp"

namespace spillway {

struct IdTableResources {
  MemoryBudget& budget;
  TempSpace& temp;
  const StringSorter& sorter;
  std::size_t memory_bytes = 0;                // of the sort (reserved only if it is needed); at least 256 KiB are used
  IdList* to_drop = nullptr;                   // documents to drop whatever the policy; may be null
  std::function<void()> check_cancelled = {};  // called often; throws to stop. May be empty
  unsigned threads = 1;                        // of the calling thread's TBB arena
  std::size_t documents_bytes = 0;             // memory of reading the documents of one input
};

// Reads the documents of all inputs when it is made, twice where ids ascend at first and then do not. Ids that ascend
// need no sort and no memory. Documents that an input has dropped already are dropped again, and those that `to_drop`
// names are dropped before duplicates are looked for. Where no input stores ids, a document's place is its id: 1 for
// the first document that the inputs hold. Sorts in the calling thread's TBB arena.
class IdTable {
 public:
  struct Duplicate {
    std::string id;
    std::uint32_t kept = 0, dropped = 0;  // source numbers
  };
  static constexpr std::size_t kExamples = 5;

  // The inputs are one source, in order; `lengths` is for its documents, and gets the length of each. Policy kFail
  // throws InputError at the first duplicate, naming the id and both documents.
  IdTable(std::span<const MergeInput* const> inputs, DuplicateIds policy, const IdTableResources& resources,
          LengthCodes& lengths);

  const DroppedDocuments& dropped() const { return dropped_; }
  std::uint64_t duplicate_count() const { return duplicate_count_; }    // documents dropped for their id
  std::uint64_t listed_count() const { return listed_count_; }          // documents that were to be dropped
  const std::vector<Duplicate>& examples() const { return examples_; }  // the first few, in order of id
  // Streams the kept documents with stored ids, renumbered, in order of id; once, for it gives the memory of the sort
  // back.
  void write_order(IndexWriter& writer);

 private:
  struct FirstLook {
    bool ascends = true;    // every document that is there has an id above the one before
    bool any_hole = false;  // documents that an input has dropped already
  };
  bool take_lengths(std::span<const MergeInput* const> inputs, const IdTableResources& resources,
                    LengthCodes& lengths) const;
  FirstLook look(std::span<const MergeInput* const> inputs, LengthCodes& lengths) const;
  void sort_ids(std::span<const MergeInput* const> inputs, const IdTableResources& resources, LengthCodes& lengths);
  bool place_ids(std::span<const MergeInput* const> inputs, unsigned threads, LengthCodes& lengths);
  void drop_known(std::span<const MergeInput* const> inputs, const IdTableResources& resources);
  void drop_duplicates(DuplicateIds policy, const IdTableResources& resources);
  void drop(std::uint32_t document, const IdTableResources& resources);

  std::uint64_t document_count_ = 0;
  DroppedDocuments dropped_;
  std::uint64_t duplicate_count_ = 0, listed_count_ = 0;
  std::vector<Duplicate> examples_;
  std::unique_ptr<ExternalStringSort> sort_;  // none: no ids, or all in order
  bool has_ids_ = false;
  std::function<void()> check_cancelled_;
};

}  // namespace spillway
