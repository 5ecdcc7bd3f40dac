#include "merge/list_merge.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "io/error.hpp"
#include "merge/term_sources.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kTickPostings = 1u << 16;

std::vector<std::string> names_of(std::span<const MergeInput* const> inputs) {
  std::vector<std::string> names;
  for (const MergeInput* input : inputs) names.push_back(input->name());
  return names;
}

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

ListMerger::ListMerger(const ListMergeJob& job)
    : job_(job), names_(names_of(job.inputs)), encoder_(job.length_codes, job.positions) {
  totals_.inputs.resize(job.inputs.size());
}

void ListMerger::fail(std::size_t input, const std::string& expected) const {
  throw FormatError(names_[input] + ": term \"" + printable(term_, 80) + "\": expected " + expected +
                    ", found others: it is damaged, make it again from its input");
}

void ListMerger::merge_range(std::size_t range, const std::string& first, const std::string& last) {
  TermSources sources(job_.inputs, first, last);
  while (!sources.done()) {
    begin_list(sources.piece().term);
    do {
      add_piece(sources.input(), sources.piece());
      if (encoder_.batch_bytes() >= job_.batch_bytes) put_batch(range);
    } while (sources.advance());
    end_list();
    if (encoder_.batch_bytes() >= job_.batch_bytes) put_batch(range);
  }
  if (encoder_.batch_bytes() != 0) put_batch(range);
  job_.out.finish(range);
  job_.tick(std::exchange(unreported_, 0));
}

void ListMerger::put_batch(std::size_t range) { job_.out.put(range, encoder_.take(job_.out.take_used())); }

void ListMerger::begin_list(std::string_view term) {
  term_ = term;
  hash_ = hash_term(term);
  next_document_ = 0;
  encoder_.begin(term_);
}

void ListMerger::add_piece(std::size_t input, const TermPiece& piece) {
  decode_postings(piece, names_[input], documents_, frequencies_);
  if (piece.last_document >= job_.inputs[input]->summary().document_count) {
    fail(input, "documents below " + std::to_string(job_.inputs[input]->summary().document_count));
  }
  expect_lengths(static_cast<std::uint32_t>(job_.layout.bases[input]));
  add_to_totals(input, piece);
  if (job_.positions == Positions::kStored) take_positions(input, piece);
  to_source_numbers(input);
  join_border(input);
  next_document_ = std::uint64_t{documents_.back()} + 1;
  hold_border(input, piece);
  emit(documents_, frequencies_);
  if (job_.positions == Positions::kStored) encoder_.add_positions(distances_);
  unreported_ += piece.document_count;
  if (unreported_ >= kTickPostings) job_.tick(std::exchange(unreported_, 0));
}

// Where documents are far apart the codes of their lengths are not in the cache: they come while the postings are
// weighed. Of a long piece they would be gone again; dropped documents only make this miss.
void ListMerger::expect_lengths(std::uint32_t base) const {
  constexpr std::size_t kMostExpected = 4096, kFarApart = 32;
  const std::size_t count = documents_.size();
  if (count > kMostExpected || documents_.back() - documents_.front() < kFarApart * count) return;
  for (const std::uint32_t document : documents_) {
    if (document + base < job_.length_codes.size()) __builtin_prefetch(job_.length_codes.data() + document + base);
  }
}

void ListMerger::add_to_totals(std::size_t input, const TermPiece& piece) {
  weight_.add(documents_, frequencies_);
  ListMergeTotals::Input& totals = totals_.inputs[input];
  totals.sum.add(hash_, weight_.take());
  totals.posting_count += piece.document_count;
  totals.occurrence_count += piece.occurrence_count;
}

// Leaves the distances of the kept postings, as the encoder takes them: a posting that was cut counts on from its first
// part, where its own piece counts from 0.
void ListMerger::take_positions(std::size_t input, const TermPiece& piece) {
  decode_positions(piece, names_[input], distances_);
  position_sums_.take(frequencies_, distances_);
  const auto base = static_cast<std::uint32_t>(job_.layout.bases[input]);
  const bool goes_on = holds_border_ && documents_.front() + base == border_document_;
  if (!position_sums_.ascends() || (goes_on && distances_.front() <= border_position_)) {
    fail(input, "positions that ascend");
  }
  if (goes_on) distances_.front() -= border_position_;
  border_position_ = position_sums_.last();
  std::size_t end = 0;
  for (std::size_t i = 0; i < documents_.size(); ++i) {
    const std::size_t begin = std::exchange(end, end + frequencies_[i]);
    position_weight_.add_wide(documents_[i], position_sums_.weight(begin, end));
  }
  totals_.inputs[input].sum.add_positions(hash_, position_weight_.take());
  if (!job_.dropped.none()) drop_positions(base);
}

// Takes out those of dropped documents.
void ListMerger::drop_positions(std::uint32_t base) {
  std::uint32_t *from = distances_.data(), *to = from;
  std::size_t end = 0;
  for (std::size_t i = 0; i < documents_.size(); ++i) {
    const std::uint32_t document = documents_[i] + base, frequency = frequencies_[i];
    const std::size_t begin = std::exchange(end, end + frequency);
    if (job_.dropped.contains(document)) {
      dropped_position_weight_.add_wide(document, position_sums_.weight(begin, end));
    } else {
      to = to == from ? to + frequency : std::copy_n(from, frequency, to);
    }
    from += frequency;
  }
  distances_.resize(static_cast<std::size_t>(to - distances_.data()));
}

void ListMerger::to_source_numbers(std::size_t input) {
  const auto base = static_cast<std::uint32_t>(job_.layout.bases[input]);
  if (base == 0) return;
  for (std::uint32_t& document : documents_) document += base;
}

// Adds the frequency that waits to the first posting if it is of the same document, else emits it before.
void ListMerger::join_border(std::size_t input) {
  if (holds_border_ && documents_.front() == border_document_) {
    if (frequencies_.front() > std::numeric_limits<std::uint32_t>::max() - border_frequency_) {
      fail(input, "fewer than 2^32 occurrences in the document that its neighbour began");
    }
    frequencies_.front() += border_frequency_;
  } else {
    if (documents_.front() < next_document_) fail(input, "documents behind those of the pieces before");
    if (holds_border_) emit({&border_document_, 1}, {&border_frequency_, 1});
  }
  holds_border_ = false;
}

void ListMerger::hold_border(std::size_t input, const TermPiece& piece) {
  const bool last_is_open = job_.inputs[input]->identity().last_document_open && input + 1 != job_.inputs.size() &&
                            documents_.back() == job_.layout.bases[input + 1];
  if (!last_is_open && !piece.goes_on && job_.positions == Positions::kNone) return;
  holds_border_ = true;
  border_document_ = documents_.back();
  border_frequency_ = frequencies_.back();
  documents_.pop_back();
  frequencies_.pop_back();
}

// Leaves the kept postings in front, in the index's numbering; returns how many.
std::size_t ListMerger::drop(std::span<std::uint32_t> documents, std::span<std::uint32_t> frequencies) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (job_.dropped.contains(documents[i])) {
      dropped_weight_.add(documents[i], frequencies[i]);
      totals_.dropped_occurrence_count += frequencies[i];
      continue;
    }
    documents[kept] = job_.dropped.renumber(documents[i]);
    frequencies[kept++] = frequencies[i];
  }
  return kept;
}

// The postings, in source numbering, are changed.
void ListMerger::emit(std::span<std::uint32_t> documents, std::span<std::uint32_t> frequencies) {
  const std::size_t kept = job_.dropped.none() ? documents.size() : drop(documents, frequencies);
  if (kept == 0) return;
  totals_.posting_count += kept;
  for (const std::uint32_t frequency : frequencies.first(kept)) totals_.occurrence_count += frequency;
  encoder_.add(documents.first(kept), frequencies.first(kept));
}

void ListMerger::end_list() {
  if (holds_border_) emit({&border_document_, 1}, {&border_frequency_, 1});
  holds_border_ = false;
  if (!job_.dropped.none()) {
    totals_.dropped_sum.add(hash_, dropped_weight_.take());
    totals_.dropped_sum.add_positions(hash_, dropped_position_weight_.take());
  }
  encoder_.end();
}

}  // namespace spillway
