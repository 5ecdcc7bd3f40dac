// The work of one thread of the final merge: once it has a lane, it hands lists over in batches. Where the lanes hold
// the lists already, it says which ones; else it finds the entries of each list and copies them. A list that does not
// fit a batch, and whatever a lane fails to merge, is merged by the thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "merge/cursor/term_merge_cursor.hpp"
#include "merge/index/batch_collector.hpp"
#include "merge/index/postings_merger.hpp"

namespace spillway {

// Not thread-safe.
class BatchMerger {
 public:
  // The job and the lanes, which may be null, live longer.
  BatchMerger(const PostingsMergeJob& job, BatchLanes* lanes);

  // False where other threads should merge all ranges (BatchLanes::hold_alone). Takes a lane where one is there.
  bool may_merge();
  // As PostingsMerger::merge_range(). Takes a lane before the first range where one is there.
  void merge_range(std::size_t range);
  PostingsMergeTotals totals() const;

 private:
  bool has_lane();
  void merge_held_range(const HeldLists& held);
  void merge_terms(const std::string& first, const std::string& last);
  bool merge_held(const HeldLists& held, std::size_t begin, std::size_t end);
  bool merge_large_held(const HeldLists& held, std::size_t list);
  void merge_list(TermMergeCursor& sources);
  void merge_open_list(const BatchCollector& collected, TermMergeCursor* rest);
  bool merge_large(TermMergeCursor& sources);
  bool fits_large(const TermMergeCursor& sources, const BatchArrays& arrays) const;
  bool collect_large(TermMergeCursor& sources, BatchCollector& large);
  bool add(const TermMergeCursor& sources, BatchCollector& to) const;
  void flush();
  template <typename Merge>
  bool merge_in(BatchLane& lane, const Merge& merge);
  void merge_here();
  void take_merged(const BatchCollector& batch, const BatchSize& size);
  void take_held(const HeldLists& held, std::size_t begin, const BatchSize& size);
  template <typename TermOf>
  void take_lists(const BatchSize& size, const TermOf& term_of);
  void put_merged(Reservation memory);

  const PostingsMergeJob& job_;
  BatchLanes* const lanes_;
  std::unique_ptr<BatchLane> lane_;
  bool works_ = true;  // no lane has failed
  PostingsMerger merger_;
  std::optional<BatchCollector> batch_;  // in the memory of the lane
  MergedBatch merged_;
  std::uint64_t merged_postings_ = 0;  // of the inputs, in merged_
  PostingsMergeTotals totals_;         // of batches that the lane merged
  std::size_t range_ = 0;
  bool goes_on_ = false;  // the next entry may begin with the last document of the entry before
};

}  // namespace spillway
