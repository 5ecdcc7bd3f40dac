#include "merge/index/postings_merger.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "io/base/error.hpp"
#include "io/checksum/position_weight.hpp"
#include "io/run/decode_positions.hpp"
#include "io/run/postings_decoder.hpp"
#include "merge/cursor/term_merge_cursor.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kTickPostings = 1u << 16;
// Postings that are taken from the bytes of the inputs to those of the index in one go: they stay in the L1 cache, of
// which two threads of a core have 24 KiB each, while short lists of many inputs are encoded together.
constexpr std::size_t kStretch = 1024;

}  // namespace

void ListMergeTotals::add(const ListMergeTotals& other) {
  if (inputs.empty()) inputs.resize(other.inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].posting_count += other.inputs[i].posting_count;
    inputs[i].occurrence_count += other.inputs[i].occurrence_count;
    inputs[i].sum.join(other.inputs[i].sum, 0);
  }
  posting_count += other.posting_count;
  occurrence_count += other.occurrence_count;
  dropped_occurrence_count += other.dropped_occurrence_count;
  dropped_sum.join(other.dropped_sum, 0);
}

std::vector<PostingsMerger::Input> PostingsMerger::describe(const ListMergeJob& job) {
  std::vector<Input> inputs;
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {
    const MergeInput& input = *job.inputs[i];
    inputs.push_back(
        {input.name(), input.summary().document_count, static_cast<std::uint32_t>(job.layout.bases[i]), {}});
    if (!input.identity().last_document_open || i + 1 == job.inputs.size()) continue;
    inputs.back().cut_document = static_cast<std::uint32_t>(job.layout.bases[i + 1]);
  }
  return inputs;
}

PostingsMerger::PostingsMerger(const ListMergeJob& job)
    : job_(job),
      inputs_(describe(job)),
      encoder_(job.length_codes, job.positions),
      documents_(2 * kStretch),
      frequencies_(2 * kStretch) {
  totals_.inputs.resize(job.inputs.size());
}

void PostingsMerger::fail(std::size_t input, const std::string& expected) const {
  throw FormatError(inputs_[input].name + ": term \"" + printable(term_, 80) + "\": expected " + expected +
                    ", found others: it is damaged, make it again from its input");
}

void PostingsMerger::merge_range(std::size_t range, const std::string& first, const std::string& last) {
  range_ = range;
  TermMergeCursor sources(job_.inputs, first, last);
  while (!sources.done()) {
    begin_list(sources.entry().term);
    do {
      add_piece(sources.input(), sources.entry());
    } while (sources.advance());
    end_list();
  }
  if (encoder_.batch_bytes() != 0) put_batch();
  job_.out.finish(range);
  job_.tick(std::exchange(unreported_, 0));
}

void PostingsMerger::put_batch() { job_.out.put(range_, encoder_.take(job_.out.take_used())); }

void PostingsMerger::begin_list(std::string_view term) {
  term_ = term;
  hash_ = hash_term(term);
  next_document_ = 0;
  encoder_.begin(term_);
}

void PostingsMerger::add_piece(std::size_t input, const RunEntry& piece) {
  if (piece.last_document >= inputs_[input].document_count) {
    fail(input, "documents below " + std::to_string(inputs_[input].document_count));
  }
  PostingsDecoder decoder(piece, inputs_[input].name);
  std::size_t left = piece.document_count;
  do {
    make_room(piece.document_count);
    const std::size_t count =
        decoder.next(documents_.data() + waiting_, frequencies_.data() + waiting_, documents_.size() - waiting_);
    add_stretch(input, piece, count);
    left -= count;
  } while (left != 0);
  ListMergeTotals::Input& totals = totals_.inputs[input];
  totals.sum.add(hash_, weight_.take());
  totals.posting_count += piece.document_count;
  totals.occurrence_count += piece.occurrence_count;
  holds_border_ = may_go_on(input, piece);
  if (job_.positions == Positions::kStored) {
    emit();
    encoder_.add_positions(distances_);
  }
  unreported_ += piece.document_count;
  if (unreported_ >= kTickPostings) job_.tick(std::exchange(unreported_, 0));
}

// Positions belong to a whole piece.
void PostingsMerger::make_room(std::size_t piece_postings) {
  if (documents_.size() - waiting_ < kStretch) emit();
  const std::size_t needed = waiting_ + (job_.positions == Positions::kStored ? piece_postings : 0);
  if (documents_.size() >= needed) return;
  documents_.resize(needed);
  frequencies_.resize(needed);
}

// The next postings of a piece stand behind those that wait, in the numbering of the input.
void PostingsMerger::add_stretch(std::size_t input, const RunEntry& piece, std::size_t count) {
  weight_.add({documents_.data() + waiting_, count}, {frequencies_.data() + waiting_, count});
  if (job_.positions == Positions::kStored) take_positions(input, piece, count);
  to_source_numbers(input, count);
  waiting_ += join_border(input, count);
  next_document_ = std::uint64_t{documents_[waiting_ - 1]} + 1;
}

// Leaves the distances of the kept postings, as the encoder takes them: a posting that was cut counts on from its first
// part, where its own piece counts from 0.
void PostingsMerger::take_positions(std::size_t input, const RunEntry& piece, std::size_t count) {
  const std::uint32_t* const documents = documents_.data() + waiting_;
  const std::uint32_t* const frequencies = frequencies_.data() + waiting_;
  decode_positions(piece, inputs_[input].name, distances_);
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

// Takes out those of dropped documents.
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

// Adds the first of them to the last posting that waits, if it is of the same document. Returns how many they are then.
std::size_t PostingsMerger::join_border(std::size_t input, std::size_t count) {
  const auto first = static_cast<std::ptrdiff_t>(waiting_), end = first + static_cast<std::ptrdiff_t>(count);
  if (!std::exchange(holds_border_, false) || documents_[waiting_] != documents_[waiting_ - 1]) {
    if (documents_[waiting_] < next_document_) fail(input, "documents behind those of the pieces before");
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

// Of the last document of a piece that was added.
bool PostingsMerger::may_go_on(std::size_t input, const RunEntry& piece) const {
  if (piece.goes_on || job_.positions == Positions::kStored) return true;
  return inputs_[input].cut_document == documents_[waiting_ - 1];
}

// Leaves the kept ones of the first postings in front, in the index's numbering; returns how many. Few documents are
// dropped: most groups of postings have none of them between their ends, and their numbers change alike.
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

// The same for the postings [begin, end), behind those that are kept already.
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

// Encodes what waits, but for a posting that may go on.
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
