// Tells the skip log of the documents that the last merge drops because they repeat others: parsing counted them as
// indexed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "indexer/ingest/skip_log.hpp"
#include "indexer/job/duplicates/duplicate_ids.hpp"
#include "indexer/job/final_merge.hpp"

namespace spillway {

class DropLog {
 public:
  // `base_documents`: of the index that the job appends to; they come before those of the input.
  DropLog(SkipLog& skips, Dedup dedup, std::uint64_t base_documents)
      : skips_(skips), dedup_(dedup), base_documents_(base_documents) {}

  // The listeners use this object. They are empty if the skip log has no listener.
  DuplicateListener duplicate_listener();
  RepeatListener repeat_listener();
  // Counts the documents of a merge: `duplicates` of them have the id of another document of the input. InputError if
  // too many records are skipped.
  void count(const MergeStats& merge, std::uint64_t duplicates);

 private:
  std::string name_of(std::uint32_t document) const;
  void count_repeats(const MergeStats& merge);
  void note(SkipReason reason, const std::vector<IdTable::Duplicate>& examples);

  SkipLog& skips_;
  const Dedup dedup_;
  const std::uint64_t base_documents_;
};

}  // namespace spillway
