// Merges the lists of the terms that the cursors of a range of terms come to, into entries of the new run
// (merge/run/merge.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "merge/cursor/term_merge_cursor.hpp"
#include "merge/input/merge_input.hpp"
#include "merge/input/totals.hpp"
#include "merge/run/joined_entry.hpp"
#include "merge/run/postings_concatenator.hpp"

namespace spillway {

// An input of a range, and what was read of it.
struct RangeInput {
  const MergeInput* input = nullptr;
  std::uint64_t document_count = 0;
  std::uint32_t base = 0;
  InputTotals totals;
};

// Collects the pieces of a term and hands them to the joiner: all at once, or in stretches of about `stretch_bytes`
// where the list is long.
class ListGatherer {
 public:
  // Do the bytes of a piece stay where they are up to end()? They are copied where its cursor moves on before.
  enum class Bytes { kStay, kMove };

  ListGatherer(PostingsConcatenator& joiner, std::size_t stretch_bytes, bool has_positions)
      : joiner_(joiner), stretch_bytes_(stretch_bytes), has_positions_(has_positions) {}

  // `term` stays up to end() where the bytes of its pieces do.
  void begin(std::string_view term, Bytes bytes) {
    bytes_stay_ = bytes == Bytes::kStay;
    term_ = bytes_stay_ ? term : kept_term_.assign(term);
  }

  void add(const RunEntry& piece, const RangeInput& input) {
    for (const ListFragment& part : piece.fragments) add_part(part, input);
    if (!piece.fragments.empty()) return;
    add_part({piece.postings, piece.positions, piece.document_count, piece.occurrence_count, 0, piece.last_document},
             input);
  }

  void end() {
    write();
    any_before_ = false;
  }

 private:
  void add_part(const ListFragment& part, const RangeInput& input) {
    const std::uint32_t first = check_part(part, input);
    const std::size_t bytes = part.postings.size() + part.positions.size();
    // A border document is joined inside one stretch, unless it stays cut.
    if (held_bytes_ + bytes > stretch_bytes_ && !parts_.empty() &&
        (has_positions_ || first != parts_.back().last_document)) {
      write();
    }
    parts_.push_back({part.postings, part.positions, part.document_count, part.occurrence_count, input.base + part.base,
                      input.base + part.last_document});
    held_bytes_ += bytes;
    any_before_ = true;
    if (!bytes_stay_) copy(part);
  }

  void copy(const ListFragment& part) {
    bytes_.insert(bytes_.end(), part.postings.begin(), part.postings.end());
    bytes_.insert(bytes_.end(), part.positions.begin(), part.positions.end());
  }

  // What is not decoded is only looked at where parts meet. Returns the part's first document.
  std::uint32_t check_part(const ListFragment& part, const RangeInput& input) const {
    const std::uint8_t* at = part.postings.data();
    std::uint64_t head = 0;
    const bool readable = read_varint(&at, at + part.postings.size(), &head);
    const std::uint64_t first = part.base + (head >> 1);
    const bool in_order = readable && part.last_document < input.document_count && first <= part.last_document &&
                          (!any_before_ || input.base + first >= last_document_before());
    if (in_order) return input.base + static_cast<std::uint32_t>(first);
    throw FormatError(input.input->name() + ": term \"" + printable(term_, 80) + "\": expected documents below " +
                      std::to_string(input.document_count) +
                      " behind those of the pieces before, found others: it is damaged, make it again from its input");
  }

  std::uint32_t last_document_before() const { return parts_.empty() ? last_written_ : parts_.back().last_document; }

  // Now that no more bytes come, which would move those before them.
  void view_copies() {
    const std::uint8_t* at = bytes_.data();
    for (ListFragment& part : parts_) {
      part.postings = {at, part.postings.size()};
      at += part.postings.size();
      part.positions = {at, part.positions.size()};
      at += part.positions.size();
    }
  }

  void write() {
    if (parts_.empty()) return;
    if (!bytes_stay_) view_copies();
    last_written_ = parts_.back().last_document;
    try {
      joiner_.write(term_, parts_);
    } catch (const FormatError& error) {
      throw FormatError("merging the term \"" + printable(term_, 80) + "\": " + error.what());
    }
    parts_.clear();
    bytes_.clear();
    held_bytes_ = 0;
  }

  PostingsConcatenator& joiner_;
  std::size_t stretch_bytes_;
  bool has_positions_;
  bool bytes_stay_ = false;
  std::string_view term_;
  std::string kept_term_;
  std::vector<ListFragment> parts_;
  std::size_t held_bytes_ = 0;       // of them
  std::vector<std::uint8_t> bytes_;  // of them, where they are copied
  std::uint32_t last_written_ = 0;
  bool any_before_ = false;
};

// Merges the lists of a range, term by term.
class TermMerger {
 public:
  TermMerger(PostingsConcatenator& joiner, std::size_t stretch_bytes, bool has_positions,
             std::vector<RangeInput> inputs)
      : joiner_(joiner), gatherer_(joiner, stretch_bytes, has_positions), inputs_(std::move(inputs)) {}

  // Most terms have one piece in each input: the cursors stand at all of them together.
  void merge_term(TermMergeCursor& sources) {
    if (!sources.are_whole()) {
      gatherer_.begin(sources.entry().term, ListGatherer::Bytes::kMove);
      do {
        count(sources.entry(), inputs_[sources.input()]);
        gatherer_.add(sources.entry(), inputs_[sources.input()]);
      } while (sources.advance());
      gatherer_.end();
      return;
    }
    for (const std::uint32_t input : sources.inputs()) count(sources.entry(input), inputs_[input]);
    if (!write_joined(sources)) gather(sources);
    sources.advance_term();
  }
  std::span<const RangeInput> inputs() const { return inputs_; }

 private:
  static void count(const RunEntry& piece, RangeInput& input) {
    input.totals.add({piece.document_count, piece.occurrence_count});
  }

  // False where the list is not as simple as most.
  bool write_joined(const TermMergeCursor& sources) {
    entry_.clear();
    for (const std::uint32_t i : sources.inputs()) {
      const RunEntry& piece = sources.entry(i);
      const RangeInput& input = inputs_[i];
      if (!piece.fragments.empty() || piece.last_document >= input.document_count ||
          !entry_.add({piece.postings, piece.positions, piece.document_count, piece.occurrence_count, input.base,
                       input.base + piece.last_document})) {
        return false;
      }
    }
    return joiner_.write(sources.entry().term, entry_);
  }

  void gather(const TermMergeCursor& sources) {
    gatherer_.begin(sources.entry().term, ListGatherer::Bytes::kStay);
    for (const std::uint32_t input : sources.inputs()) gatherer_.add(sources.entry(input), inputs_[input]);
    gatherer_.end();
  }

  PostingsConcatenator& joiner_;
  ListGatherer gatherer_;
  JoinedEntry entry_;
  std::vector<RangeInput> inputs_;
};

}  // namespace spillway
