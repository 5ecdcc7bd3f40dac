#include "merge/index/batch_merger.hpp"

#include <algorithm>
#include <stdexcept>
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

bool BatchMerger::may_merge() { return has_lane() || lanes_ == nullptr || !lanes_->hold_alone(); }

PostingsMergeTotals BatchMerger::totals() const {
  PostingsMergeTotals totals = merger_.totals();
  totals.add(totals_);
  return totals;
}

void BatchMerger::merge_range(std::size_t range) {
  if (!has_lane()) return merger_.merge_range(range);
  range_ = range;
  merger_.begin_range(range);
  if (const HeldLists* const held = lanes_->held(); held != nullptr) {
    merge_held_range(*held);
  } else {
    merge_terms(job_.ranges.first(range), job_.ranges.last(range));
  }
  merger_.end_range();
}

void BatchMerger::merge_terms(const std::string& first, const std::string& last) {
  TermMergeCursor sources(job_.inputs, first, last, TermMergeCursor::Entries::kWhole);
  while (!sources.done()) merge_list(sources);
  flush();
}

// Once the lane has failed, this thread merges the rest of the range from the inputs.
void BatchMerger::merge_held_range(const HeldLists& held) {
  const std::string last = job_.ranges.last(range_);
  const std::size_t end = last.empty() ? held.count() : held.find(last);
  for (std::size_t at = held.find(job_.ranges.first(range_)); at < end;) {
    const std::size_t fit = held.fitting_end(at, end, lane_->arrays());
    if (fit == at ? merge_large_held(held, at) : merge_held(held, at, fit)) {
      at = std::max(fit, at + 1);
    } else if (works_ && fit == at) {
      const std::string term(held.term(at++));
      merge_terms(term, term + '\0');
    } else {
      return merge_terms(std::string(held.term(at)), last);
    }
  }
}

// Merges lists that fit the lane, and puts them out. Returns false where this thread must merge them.
bool BatchMerger::merge_held(const HeldLists& held, std::size_t begin, std::size_t end) {
  if (!merge_in(*lane_, [&](BatchLane& lane) { return lane.merge_held(held, begin, end, merged_); })) return false;
  take_held(held, begin, held.size(begin, end));
  put_merged({});
  return true;
}

// The same for a list that fits the large lane only. As merge_large().
bool BatchMerger::merge_large_held(const HeldLists& held, std::size_t list) {
  LargeLane* const shared = lanes_->large();
  if (shared == nullptr || !held.fits(list, list + 1, shared->lane->arrays())) return false;
  const BatchSize size = held.size(list, list + 1);
  std::optional<Reservation> memory;
  {
    const std::lock_guard turn(shared->mutex);
    if (!shared->is_free) return false;
    memory =
        shared->budget->try_reserve(size.posting_bytes + std::size_t{size.distance_bytes}, "lists that GPUs merge");
    if (!memory) return false;
    const auto merge = [&](BatchLane& lane) { return lane.merge_held(held, list, list + 1, merged_); };
    if (!merge_in(*shared->lane, merge)) {
      shared->is_free = false;
      return false;
    }
    take_held(held, list, size);
  }
  put_merged(std::move(*memory));
  return true;
}

void BatchMerger::merge_list(TermMergeCursor& sources) {
  if (!batch_->room_for_list(sources.entry().term)) flush();
  batch_->begin_list(sources.entry().term);
  goes_on_ = false;
  do {
    while (!works_ || !add(sources, *batch_)) {
      if (batch_->complete_lists() == 0) {
        if (works_ && merge_large(sources)) return;
        merge_open_list(*batch_, &sources);
        batch_->drop_open();
        return;
      }
      flush();
    }
    goes_on_ = merger_.may_go_on(sources.input(), sources.entry());
  } while (sources.advance());
  batch_->end_list();
}

// Merges the open list, the only one, by this thread: what was collected of it, and the rest, if there is more.
void BatchMerger::merge_open_list(const BatchCollector& collected, TermMergeCursor* rest) {
  merger_.begin_list(collected.term(0));
  collected.for_each_entry(
      0, [&](std::uint32_t input, const RunEntry& entry) { merger_.add_entry(input, entry); }, goes_on_);
  if (rest != nullptr) {
    do {
      merger_.add_entry(rest->input(), rest->entry());
    } while (rest->advance());
  }
  merger_.end_list();
  merger_.put_batch();
}

// Merges the open list in the large lane. Returns false, and leaves all as it is, where the lane cannot take it. The
// turn ends before anything is put out: a thread that waits for its range must not have it. Where the lane does not
// merge the list after all, this thread merges what is in its memory; after an error the lane takes no other list.
bool BatchMerger::merge_large(TermMergeCursor& sources) {
  LargeLane* const shared = lanes_->large();
  if (shared == nullptr || !shared->is_free || !fits_large(sources, shared->lane->arrays())) return false;
  BatchCollector large(shared->lane->arrays(), job_.positions == Positions::kStored);
  std::optional<Reservation> memory;
  bool is_whole = false, is_merged = false, fails = false;
  {
    const std::lock_guard turn(shared->mutex);
    if (!shared->is_free) return false;
    large.begin_list(batch_->term(0));
    is_whole = collect_large(sources, large);
    const BatchSize size = large.seal();
    if (is_whole)
      memory = shared->budget->try_reserve(size.posting_bytes + size.distance_bytes, "lists that GPUs merge");
    if (memory) {
      is_merged = merge_in(*shared->lane, [&](BatchLane& lane) { return lane.merge(size, merged_); });
      fails = !is_merged;
      if (is_merged) take_merged(large, size);
    }
    shared->is_free = is_merged;
  }
  batch_->drop_open();
  if (is_merged) {
    put_merged(std::move(*memory));
    return true;
  }
  if (is_whole) goes_on_ = false;
  merge_open_list(large, is_whole ? nullptr : &sources);
  const std::lock_guard turn(shared->mutex);
  shared->is_free = !fails;
  return true;
}

// Whether the open list fits as far as it is known: what was collected of it, and the next entry of each input.
bool BatchMerger::fits_large(const TermMergeCursor& sources, const BatchArrays& arrays) const {
  const BatchSize& size = batch_->used();
  std::size_t postings = size.posting_bytes, distances = size.distance_bytes, fragments = size.fragments;
  for (const std::uint32_t input : sources.inputs()) {
    if (input < sources.input()) continue;
    const RunEntry& entry = sources.entry(input);
    postings += entry.postings.size();
    distances += entry.positions.size();
    fragments += std::max<std::size_t>(entry.fragments.size(), 1);
    for (const ListFragment& fragment : entry.fragments) {
      postings += fragment.postings.size();
      distances += fragment.positions.size();
    }
  }
  return postings <= arrays.postings.size() && (arrays.distances.empty() || distances <= arrays.distances.size()) &&
         fragments < arrays.fragments.size();
}

// Collects what the open list has, and the rest of it. Returns false at the first entry that does not fit. Requires:
// fits_large().
bool BatchMerger::collect_large(TermMergeCursor& sources, BatchCollector& large) {
  bool goes_on = false;
  batch_->for_each_entry(0, [&](std::uint32_t input, const RunEntry& entry) {
    const bool fits = large.add({.input = input,
                                 .input_base = static_cast<std::uint32_t>(job_.layout.bases[input]),
                                 .document_count = job_.inputs[input]->summary().document_count,
                                 .may_go_on = goes_on,
                                 .entry = entry});
    if (!fits) throw std::logic_error("a large batch has no room for a smaller one");
    goes_on = entry.goes_on;
  });
  do {
    if (!add(sources, large)) return false;
    goes_on_ = merger_.may_go_on(sources.input(), sources.entry());
  } while (sources.advance());
  large.end_list();
  return true;
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
  if (works_ && merge_in(*lane_, [&](BatchLane& lane) { return lane.merge(size, merged_); })) {
    take_merged(*batch_, size);
    put_merged({});
  } else {
    merge_here();
  }
  batch_->drop_complete();
}

// Returns false where this thread must merge the batch: the lane has failed, or the lists are damaged, which the thread
// then tells in detail.
template <typename Merge>
bool BatchMerger::merge_in(BatchLane& lane, const Merge& merge) {
  merged_.bytes = &lane == lane_.get() ? job_.out.take_used(~std::size_t{0}) : ListBatch();
  merged_.bytes.clear();
  try {
    return merge(lane);
  } catch (const Error& error) {
    lanes_->fail(error.what());
    if (&lane == lane_.get()) works_ = false;
    return false;
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

void BatchMerger::take_merged(const BatchCollector& batch, const BatchSize& size) {
  take_lists(size, [&](std::size_t list) { return batch.term(list); });
  batch.count(totals_.inputs);
}

void BatchMerger::take_held(const HeldLists& held, std::size_t begin, const BatchSize& size) {
  take_lists(size, [&](std::size_t list) { return held.term(begin + list); });
  totals_.held.posting_count += size.postings;
  totals_.held.occurrence_count += size.occurrences;
}

// Makes entries of the lists that have come back, and adds up.
template <typename TermOf>
void BatchMerger::take_lists(const BatchSize& size, const TermOf& term_of) {
  ListBatch& to = merged_.bytes;
  to.entries.reserve(merged_.lists.size());
  for (std::size_t i = 0; i < merged_.lists.size(); ++i) {
    const MergedList& list = merged_.lists[i];
    if (list.document_count == 0) continue;
    const std::string_view term = term_of(i);
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
  const BatchTotals& sums = merged_.totals;
  totals_.lane_sum.join({{sums.low, sums.high}, sums.positions}, 0);
  totals_.dropped_sum.join({{sums.dropped_low, sums.dropped_high}, sums.dropped_positions}, 0);
  totals_.dropped_occurrence_count += sums.dropped_occurrences;
  totals_.lane_postings += size.postings;
  merged_postings_ = size.postings;
}

void BatchMerger::put_merged(Reservation memory) {
  job_.out.put(range_, std::exchange(merged_.bytes, {}), std::move(memory));
  job_.tick(std::exchange(merged_postings_, 0));
}

}  // namespace spillway
