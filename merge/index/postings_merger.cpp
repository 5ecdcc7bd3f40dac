#include "merge/index/postings_merger.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "io/base/error.hpp"
#include "io/checksum/position_weight.hpp"
#include "io/run/decode_positions.hpp"
#include "io/run/postings_decoder.hpp"
#include "io/run/reader.hpp"
#include "merge/cursor/term_merge_cursor.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kTickPostings = 1u << 16;
// Postings that are decoded and encoded in one step. They fit the L1 cache (24 KiB for each of two threads of a core),
// yet short lists of many inputs are encoded together.
constexpr std::size_t kStepPostings = 1024;

}  // namespace

void PostingsMergeTotals::add(const PostingsMergeTotals& other) {
  if (inputs.empty()) inputs.resize(other.inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].add(other.inputs[i]);
  posting_count += other.posting_count;
  occurrence_count += other.occurrence_count;
  dropped_occurrence_count += other.dropped_occurrence_count;
  dropped_sum.join(other.dropped_sum, 0);
  lane_postings += other.lane_postings;
  lane_sum.join(other.lane_sum, 0);
  held.add(other.held);
}

std::vector<PostingsMerger::Input> PostingsMerger::describe(const PostingsMergeJob& job) {
  std::vector<Input> inputs;
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {
    const MergeInput& input = *job.inputs[i];
    inputs.push_back({input.name(), input.summary().document_count, static_cast<std::uint32_t>(job.layout.bases[i]),
                      cut_document(job.inputs, job.layout, i)});
  }
  return inputs;
}

PostingsMerger::PostingsMerger(const PostingsMergeJob& job)
    : job_(job),
      inputs_(describe(job)),
      encoder_(job.length_codes, job.positions),
      documents_(2 * kStepPostings),
      frequencies_(2 * kStepPostings) {
  totals_.inputs.resize(job.inputs.size());
}

void PostingsMerger::fail(std::size_t input, const std::string& expected) const {
  throw FormatError(inputs_[input].name + ": term \"" + printable(term_, 80) + "\": expected " + expected +
                    ", found others: it is damaged, make it again from its input");
}

void PostingsMerger::merge_range(std::size_t range) {
  begin_range(range);
  TermMergeCursor sources(job_.inputs, job_.ranges.first(range), job_.ranges.last(range));
  while (!sources.done()) {
    begin_list(sources.entry().term);
    do {
      add_entry(sources.input(), sources.entry());
    } while (sources.advance());
    end_list();
  }
  end_range();
}

void PostingsMerger::end_range() {
  put_batch();
  job_.out.finish(range_);
  job_.tick(std::exchange(unreported_, 0));
}

void PostingsMerger::put_batch() {
  if (encoder_.batch_bytes() != 0) job_.out.put(range_, encoder_.take(job_.out.take_used(job_.most_used_bytes)));
}

void PostingsMerger::begin_list(std::string_view term) {
  term_ = term;
  hash_ = hash_term(term);
  next_document_ = 0;
  encoder_.begin(term_);
}

void PostingsMerger::add_entry(std::size_t input, const RunEntry& entry) {
  if (entry.last_document >= inputs_[input].document_count) {
    fail(input, "documents below " + std::to_string(inputs_[input].document_count));
  }
  PostingsDecoder decoder(entry, inputs_[input].name);
  std::size_t left = entry.document_count;
  do {
    make_room(entry.document_count);
    const std::size_t count =
        decoder.next(documents_.data() + waiting_, frequencies_.data() + waiting_, documents_.size() - waiting_);
    add_postings(input, entry, count);
    left -= count;
  } while (left != 0);
  InputTotals& totals = totals_.inputs[input];
  totals.sum.add(hash_, weight_.take());
  totals.posting_count += entry.document_count;
  totals.occurrence_count += entry.occurrence_count;
  holds_border_ = may_go_on(input, entry);
  if (job_.positions == Positions::kStored) {
    emit();
    encoder_.add_positions(distances_);
  }
  unreported_ += entry.document_count;
  if (unreported_ >= kTickPostings) job_.tick(std::exchange(unreported_, 0));
}

// With positions, an entry is decoded in one step.
void PostingsMerger::make_room(std::size_t entry_postings) {
  if (documents_.size() - waiting_ < kStepPostings) emit();
  const std::size_t needed = waiting_ + (job_.positions == Positions::kStored ? entry_postings : 0);
  if (documents_.size() >= needed) return;
  documents_.resize(needed);
  frequencies_.resize(needed);
}

// Adds postings that stand after the waiting ones, in the numbering of the input.
void PostingsMerger::add_postings(std::size_t input, const RunEntry& entry, std::size_t count) {
  weight_.add({documents_.data() + waiting_, count}, {frequencies_.data() + waiting_, count});
  if (job_.positions == Positions::kStored) take_positions(input, entry, count);
  to_source_numbers(input, count);
  waiting_ += add_border_frequency(input, count);
  next_document_ = std::uint64_t{documents_[waiting_ - 1]} + 1;
}

// Sets distances_ to the distances of the kept postings, for the encoder. Positions of a cut posting count from 0 in
// each entry; here the second part counts from the last position of the first.
void PostingsMerger::take_positions(std::size_t input, const RunEntry& entry, std::size_t count) {
  const std::uint32_t* const documents = documents_.data() + waiting_;
  const std::uint32_t* const frequencies = frequencies_.data() + waiting_;
  decode_positions(entry, inputs_[input].name, distances_);
  position_sums_.take({frequencies, count}, distances_);
  const std::uint32_t base = inputs_[input].base;
  const bool goes_on = holds_border_ && documents[0] + base == documents_[waiting_ - 1];
  if (!position_sums_.ascends() || (goes_on && distances_.front() <= border_position_)) {
    fail(input, "positions that ascend");
  }
  if (goes_on) distances_.front() -= border_position_;
  border_position_ = position_sums_.last();
  totals_.inputs[input].sum.add_positions(hash_, position_weight({documents, count}, position_sums_.sums()));
  if (!job_.dropped.none()) drop_positions(base, count);
}

// Removes the distances of dropped documents from distances_.
void PostingsMerger::drop_positions(std::uint32_t base, std::size_t count) {
  std::uint32_t *from = distances_.data(), *to = from;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t document = documents_[waiting_ + i] + base, frequency = frequencies_[waiting_ + i];
    if (job_.dropped.contains(document)) {
      dropped_position_weight_.add_wide(document, position_sums_.weight(i));
    } else {
      to = to == from ? to + frequency : std::copy_n(from, frequency, to);
    }
    from += frequency;
  }
  distances_.resize(static_cast<std::size_t>(to - distances_.data()));
}

void PostingsMerger::to_source_numbers(std::size_t input, std::size_t count) {
  const std::uint32_t base = inputs_[input].base;
  if (base == 0) return;
  for (std::size_t i = waiting_; i < waiting_ + count; ++i) documents_[i] += base;
}

// Adds the first of the new postings to the last waiting one if both belong to the same document. Returns how many new
// postings are left.
std::size_t PostingsMerger::add_border_frequency(std::size_t input, std::size_t count) {
  const auto first = static_cast<std::ptrdiff_t>(waiting_), end = first + static_cast<std::ptrdiff_t>(count);
  if (!std::exchange(holds_border_, false) || documents_[waiting_] != documents_[waiting_ - 1]) {
    if (documents_[waiting_] < next_document_) fail(input, "documents after those of the entries before");
    return count;
  }
  std::uint32_t& frequency = frequencies_[waiting_ - 1];
  if (frequencies_[waiting_] > std::numeric_limits<std::uint32_t>::max() - frequency) {
    fail(input, "fewer than 2^32 occurrences in the document that its neighbour began");
  }
  frequency += frequencies_[waiting_];
  std::copy(documents_.begin() + first + 1, documents_.begin() + end, documents_.begin() + first);
  std::copy(frequencies_.begin() + first + 1, frequencies_.begin() + end, frequencies_.begin() + first);
  return count - 1;
}

bool PostingsMerger::may_go_on(std::size_t input, const RunEntry& entry) const {
  if (entry.goes_on || job_.positions == Positions::kStored) return true;
  return inputs_[input].cut_document == inputs_[input].base + entry.last_document;
}

// Moves the kept ones of the first `count` postings to the front, in the index's numbering; returns how many. Few
// documents are dropped, so most groups of postings span none, and all their numbers change by the same amount.
std::size_t PostingsMerger::drop(std::size_t count) {
  constexpr std::size_t kGroup = 64;
  const auto dropped_below = [this](std::uint32_t document) { return document - job_.dropped.renumber(document); };
  std::size_t kept = 0;
  for (std::size_t begin = 0; begin < count; begin += kGroup) {
    const std::size_t end = std::min(begin + kGroup, count);
    const std::uint32_t below = dropped_below(documents_[begin]), last = documents_[end - 1];
    if (job_.dropped.contains(last) || dropped_below(last) != below) {
      kept = drop_some(begin, end, kept);
      continue;
    }
    for (std::size_t i = begin; i < end; ++i, ++kept) {
      documents_[kept] = documents_[i] - below;
      frequencies_[kept] = frequencies_[i];
    }
  }
  return kept;
}

// The same for the postings [begin, end), after `kept` that are done already.
std::size_t PostingsMerger::drop_some(std::size_t begin, std::size_t end, std::size_t kept) {
  for (std::size_t i = begin; i < end; ++i) {
    if (job_.dropped.contains(documents_[i])) {
      dropped_weight_.add(documents_[i], frequencies_[i]);
      totals_.dropped_occurrence_count += frequencies_[i];
      continue;
    }
    documents_[kept] = job_.dropped.renumber(documents_[i]);
    frequencies_[kept++] = frequencies_[i];
  }
  return kept;
}

// Encodes the waiting postings, except a last one that may go on.
void PostingsMerger::emit() {
  const std::size_t ready = waiting_ - (holds_border_ ? 1 : 0);
  if (ready == 0) return;
  const std::uint32_t border_document = documents_[waiting_ - 1], border_frequency = frequencies_[waiting_ - 1];
  const std::size_t kept = job_.dropped.none() ? ready : drop(ready);
  totals_.posting_count += kept;
  if (kept != 0) encoder_.add({documents_.data(), kept}, {frequencies_.data(), kept});
  waiting_ -= ready;
  documents_.front() = border_document;
  frequencies_.front() = border_frequency;
  if (encoder_.batch_bytes() >= job_.batch_bytes) put_batch();
}

void PostingsMerger::end_list() {
  holds_border_ = false;
  emit();
  if (!job_.dropped.none()) {
    totals_.dropped_sum.add(hash_, dropped_weight_.take());
    totals_.dropped_sum.add_positions(hash_, dropped_position_weight_.take());
  }
  totals_.occurrence_count += encoder_.occurrence_count();
  encoder_.end();
  if (encoder_.batch_bytes() >= job_.batch_bytes) put_batch();
}

}  // namespace spillway
