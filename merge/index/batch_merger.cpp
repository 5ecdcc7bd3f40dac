#include "merge/index/batch_merger.hpp"

#include <string>
#include <utility>

#include "io/base/error.hpp"

namespace spillway {

BatchMerger::BatchMerger(const PostingsMergeJob& job, BatchLanes* lanes) : job_(job), lanes_(lanes), merger_(job) {
  totals_.inputs.resize(job.inputs.size());
}

bool BatchMerger::has_lane() {
  if (lanes_ == nullptr || !works_) return false;
  if (lane_ != nullptr) return true;
  lane_ = lanes_->take();
  if (lane_ == nullptr) return false;
  batch_.emplace(lane_->arrays(), job_.positions == Positions::kStored);
  return true;
}

PostingsMergeTotals BatchMerger::totals() const {
  PostingsMergeTotals totals = merger_.totals();
  totals.add(totals_);
  return totals;
}

void BatchMerger::merge_range(std::size_t range) {
  if (!has_lane()) return merger_.merge_range(range);
  range_ = range;
  merger_.begin_range(range);
  TermMergeCursor sources(job_.inputs, job_.ranges.first(range), job_.ranges.last(range),
                          TermMergeCursor::Entries::kWhole);
  while (!sources.done()) merge_list(sources);
  flush();
  merger_.end_range();
}

void BatchMerger::merge_list(TermMergeCursor& sources) {
  if (!batch_->room_for_list(sources.entry().term)) flush();
  batch_->begin_list(sources.entry().term);
  goes_on_ = false;
  do {
    while (!works_ || !add(sources, *batch_)) {
      if (batch_->complete_lists() == 0) {
        if (!works_ || !merge_large(sources)) merge_open_list(sources);
        return;
      }
      flush();
    }
    goes_on_ = merger_.may_go_on(sources.input(), sources.entry());
  } while (sources.advance());
  batch_->end_list();
}

// Merges the open list by this thread: what was collected of it, and the rest.
void BatchMerger::merge_open_list(TermMergeCursor& sources) {
  merger_.begin_list(sources.entry().term);
  batch_->for_each_entry(
      0, [&](std::uint32_t input, const RunEntry& entry) { merger_.add_entry(input, entry); }, goes_on_);
  batch_->drop_open();
  do {
    merger_.add_entry(sources.input(), sources.entry());
  } while (sources.advance());
  merger_.end_list();
  merger_.put_batch();
}

// Merges the open list in the large lane. Returns false, and leaves all as it is, where there is none. The turn ends
// before anything is put out: a thread that waits for its range must not have it.
bool BatchMerger::merge_large(TermMergeCursor& sources) {
  LargeLane* const shared = lanes_->large();
  if (shared == nullptr) return false;
  const std::string term(sources.entry().term);
  bool is_merged = false;
  {
    const std::lock_guard turn(shared->mutex);
    if (!shared->works) return false;
    BatchCollector large(shared->lane->arrays(), job_.positions == Positions::kStored);
    large.begin_list(term);
    is_merged = collect_large(sources, large);
    batch_->drop_open();
    if (is_merged) {
      const BatchSize size = large.seal();
      is_merged = merge_in(*shared->lane, size);
      shared->works = works_;
      if (is_merged) take_merged(large, size);
    }
  }
  if (is_merged) {
    put_merged();
  } else {
    merge_again(term);
  }
  return true;
}

// Collects what the open list has, and the rest of it. Moves past the list. Returns false where it does not fit.
bool BatchMerger::collect_large(TermMergeCursor& sources, BatchCollector& large) {
  bool fits = true, goes_on = false;
  batch_->for_each_entry(0, [&](std::uint32_t input, const RunEntry& entry) {
    fits = fits && large.add({.input = input,
                              .input_base = static_cast<std::uint32_t>(job_.layout.bases[input]),
                              .document_count = job_.inputs[input]->summary().document_count,
                              .may_go_on = goes_on,
                              .entry = entry});
    goes_on = entry.goes_on;
  });
  do {
    fits = fits && add(sources, large);
    goes_on_ = merger_.may_go_on(sources.input(), sources.entry());
  } while (sources.advance());
  large.end_list();
  return fits;
}

// Merges a list by this thread, from its begin.
void BatchMerger::merge_again(const std::string& term) {
  TermMergeCursor sources(job_.inputs, term, term + '\0');
  merger_.begin_list(term);
  do {
    merger_.add_entry(sources.input(), sources.entry());
  } while (sources.advance());
  merger_.end_list();
  merger_.put_batch();
}

bool BatchMerger::add(const TermMergeCursor& sources, BatchCollector& to) const {
  const auto input = static_cast<std::uint32_t>(sources.input());
  return to.add({.input = input,
                 .input_base = static_cast<std::uint32_t>(job_.layout.bases[input]),
                 .document_count = job_.inputs[input]->summary().document_count,
                 .may_go_on = goes_on_,
                 .entry = sources.entry()});
}

// Merges the complete lists, and puts them out.
void BatchMerger::flush() {
  if (batch_->complete_lists() == 0) return;
  const BatchSize size = batch_->seal();
  if (works_ && merge_in(*lane_, size)) {
    take_merged(*batch_, size);
    put_merged();
  } else {
    merge_here();
  }
  batch_->drop_complete();
}

// Returns false where this thread must merge the batch: the lane has failed, or the lists are damaged, which the thread
// then tells in detail.
bool BatchMerger::merge_in(BatchLane& lane, const BatchSize& size) {
  merged_.bytes = &lane == lane_.get() ? job_.out.take_used() : ListBatch();
  merged_.bytes.clear();
  try {
    return lane.merge(size, merged_);
  } catch (const Error& error) {
    lanes_->fail(error.what());
    return works_ = false;
  }
}

void BatchMerger::merge_here() {
  for (std::size_t list = 0; list < batch_->complete_lists(); ++list) {
    merger_.begin_list(batch_->term(list));
    batch_->for_each_entry(list, [&](std::uint32_t input, const RunEntry& entry) { merger_.add_entry(input, entry); });
    merger_.end_list();
  }
  merger_.put_batch();
}

// Makes entries of the lists that have come back, and adds up.
void BatchMerger::take_merged(const BatchCollector& batch, const BatchSize& size) {
  ListBatch& to = merged_.bytes;
  to.entries.reserve(merged_.lists.size());
  for (std::size_t i = 0; i < merged_.lists.size(); ++i) {
    const MergedList& list = merged_.lists[i];
    if (list.document_count == 0) continue;
    const std::string_view term = batch.term(i);
    to.terms.insert(to.terms.end(), term.begin(), term.end());
    to.entries.push_back({.term_bytes = static_cast<std::uint32_t>(term.size()),
                          .posting_bytes = list.posting_bytes,
                          .bound_bytes = list.bound_bytes,
                          .position_bytes = list.position_bytes,
                          .document_count = list.document_count,
                          .occurrence_count = list.occurrence_count,
                          .starts = true,
                          .ends = true});
    totals_.posting_count += list.document_count;
    totals_.occurrence_count += list.occurrence_count;
  }
  batch.count(totals_.inputs);
  const BatchTotals& sums = merged_.totals;
  totals_.lane_sum.join({{sums.low, sums.high}, sums.positions}, 0);
  totals_.dropped_sum.join({{sums.dropped_low, sums.dropped_high}, sums.dropped_positions}, 0);
  totals_.dropped_occurrence_count += sums.dropped_occurrences;
  totals_.lane_postings += size.postings;
  merged_postings_ = size.postings;
}

void BatchMerger::put_merged() {
  job_.out.put(range_, std::exchange(merged_.bytes, {}));
  job_.tick(std::exchange(merged_postings_, 0));
}

}  // namespace spillway
