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
  if (!batch_->room_for_list()) flush();
  batch_->begin_list(sources.entry().term);
  goes_on_ = false;
  do {
    while (!works_ || !add(sources)) {
      if (batch_->complete_lists() == 0) return merge_open_list(sources);
      flush();
    }
    goes_on_ = merger_.may_go_on(sources.input(), sources.entry());
  } while (sources.advance());
  batch_->end_list();
}

// Merges the open list by this thread: what was collected of it, and the rest.
void BatchMerger::merge_open_list(TermMergeCursor& sources) {
  merger_.begin_list(sources.entry().term);
  batch_->for_each_entry(0, [&](std::uint32_t input, const RunEntry& entry) { merger_.add_entry(input, entry); });
  batch_->drop_open();
  do {
    merger_.add_entry(sources.input(), sources.entry());
  } while (sources.advance());
  merger_.end_list();
  merger_.put_batch();
}

bool BatchMerger::add(const TermMergeCursor& sources) {
  const auto input = static_cast<std::uint32_t>(sources.input());
  return batch_->add({.input = input,
                      .input_base = static_cast<std::uint32_t>(job_.layout.bases[input]),
                      .document_count = job_.inputs[input]->summary().document_count,
                      .may_go_on = goes_on_,
                      .entry = sources.entry()});
}

// Merges the complete lists, and puts them out.
void BatchMerger::flush() {
  if (batch_->complete_lists() == 0) return;
  const BatchSize size = batch_->seal();
  if (works_ && merge_in_lane(size)) {
    put_merged();
    totals_.lane_postings += size.postings;
    job_.tick(size.postings);
  } else {
    merge_here();
  }
  batch_->drop_complete();
}

// Returns false where this thread must merge the batch: the lane has failed, or the lists are damaged, which the thread
// then tells in detail.
bool BatchMerger::merge_in_lane(const BatchSize& size) {
  merged_.bytes = job_.out.take_used();
  merged_.bytes.clear();
  try {
    return lane_->merge(size, merged_);
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

void BatchMerger::put_merged() {
  ListBatch& to = merged_.bytes;
  to.entries.reserve(merged_.lists.size());
  for (std::size_t i = 0; i < merged_.lists.size(); ++i) {
    const MergedList& list = merged_.lists[i];
    if (list.document_count == 0) continue;
    const std::string_view term = batch_->term(i);
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
  batch_->count(totals_.inputs);
  const BatchTotals& sums = merged_.totals;
  totals_.lane_sum.join({{sums.low, sums.high}, sums.positions}, 0);
  totals_.dropped_sum.join({{sums.dropped_low, sums.dropped_high}, sums.dropped_positions}, 0);
  totals_.dropped_occurrence_count += sums.dropped_occurrences;
  job_.out.put(range_, std::exchange(merged_.bytes, {}));
}

}  // namespace spillway
