// Merges the lists of a range of terms into entries of a new run (merge/run/merge.hpp).
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
#include "merge/run/concatenated_entry.hpp"
#include "merge/run/postings_concatenator.hpp"

namespace spillway {

struct RangeInput {
  const MergeInput* input = nullptr;
  std::uint64_t document_count = 0;
  std::uint32_t base = 0;  // number, in the source, of its first document
  InputTotals totals;      // of the range so far
};

// Collects the fragments of a term's list and writes them: all at once, or a long list in batches of about
// `batch_bytes`.
class ListGatherer {
 public:
  // Whether the term and the bytes of its entries stay valid until end(). If a cursor moves on before, they are copied.
  enum class Bytes { kStay, kMove };

  ListGatherer(PostingsConcatenator& lists, std::size_t batch_bytes, bool has_positions)
      : lists_(lists), batch_bytes_(batch_bytes), has_positions_(has_positions) {}

  void begin(std::string_view term, Bytes bytes) {
    bytes_stay_ = bytes == Bytes::kStay;
    term_ = bytes_stay_ ? term : kept_term_.assign(term);
  }

  void add(const RunEntry& entry, const RangeInput& input) {
    for (const ListFragment& fragment : entry.fragments) add_fragment(fragment, input);
    if (!entry.fragments.empty()) return;
    add_fragment(
        {entry.postings, entry.positions, entry.document_count, entry.occurrence_count, 0, entry.last_document}, input);
  }

  void end() {
    write();
    any_before_ = false;
  }

 private:
  void add_fragment(const ListFragment& fragment, const RangeInput& input) {
    const std::uint32_t first = check_fragment(fragment, input);
    const std::size_t bytes = fragment.postings.size() + fragment.positions.size();
    // Both parts of a border document go to one batch, where their frequencies are added. With positions they stay cut.
    if (held_bytes_ + bytes > batch_bytes_ && !fragments_.empty() &&
        (has_positions_ || first != fragments_.back().last_document)) {
      write();
    }
    fragments_.push_back({fragment.postings, fragment.positions, fragment.document_count, fragment.occurrence_count,
                          input.base + fragment.base, input.base + fragment.last_document});
    held_bytes_ += bytes;
    any_before_ = true;
    if (!bytes_stay_) copy(fragment);
  }

  void copy(const ListFragment& fragment) {
    bytes_.insert(bytes_.end(), fragment.postings.begin(), fragment.postings.end());
    bytes_.insert(bytes_.end(), fragment.positions.begin(), fragment.positions.end());
  }

  // Checks only the documents at both ends of a fragment. Returns the first one, in the source's numbering.
  std::uint32_t check_fragment(const ListFragment& fragment, const RangeInput& input) const {
    const std::uint8_t* at = fragment.postings.data();
    std::uint64_t head = 0;
    const bool readable = read_varint(&at, at + fragment.postings.size(), &head);
    const std::uint64_t first = fragment.base + (head >> 1);
    const bool in_order = readable && fragment.last_document < input.document_count &&
                          first <= fragment.last_document &&
                          (!any_before_ || input.base + first >= last_document_before());
    if (in_order) return input.base + static_cast<std::uint32_t>(first);
    throw FormatError(input.input->name() + ": term \"" + printable(term_, 80) + "\": expected documents below " +
                      std::to_string(input.document_count) +
                      " after those of the entries before, found others: it is damaged, make it again from its input");
  }

  std::uint32_t last_document_before() const {
    return fragments_.empty() ? last_written_ : fragments_.back().last_document;
  }

  // Points the fragments at their copies. Requires: bytes_ is complete, because it moves while it grows.
  void view_copies() {
    const std::uint8_t* at = bytes_.data();
    for (ListFragment& fragment : fragments_) {
      fragment.postings = {at, fragment.postings.size()};
      at += fragment.postings.size();
      fragment.positions = {at, fragment.positions.size()};
      at += fragment.positions.size();
    }
  }

  void write() {
    if (fragments_.empty()) return;
    if (!bytes_stay_) view_copies();
    last_written_ = fragments_.back().last_document;
    try {
      lists_.write(term_, fragments_);
    } catch (const FormatError& error) {
      throw FormatError("merging the term \"" + printable(term_, 80) + "\": " + error.what());
    }
    fragments_.clear();
    bytes_.clear();
    held_bytes_ = 0;
  }

  PostingsConcatenator& lists_;
  std::size_t batch_bytes_;
  bool has_positions_;
  bool bytes_stay_ = false;
  std::string_view term_;
  std::string kept_term_;
  std::vector<ListFragment> fragments_;
  std::size_t held_bytes_ = 0;       // of fragments_
  std::vector<std::uint8_t> bytes_;  // copies of the fragments' bytes, if they move
  std::uint32_t last_written_ = 0;   // the last document of the batch before
  bool any_before_ = false;          // the term has a fragment already
};

// Merges the lists of a range, term by term. Not thread-safe.
class TermMerger {
 public:
  TermMerger(PostingsConcatenator& lists, std::size_t batch_bytes, bool has_positions, std::vector<RangeInput> inputs)
      : lists_(lists), gatherer_(lists, batch_bytes, has_positions), inputs_(std::move(inputs)) {}

  // Most terms have one entry in each input, so all their bytes can be viewed at the same time.
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
    if (!write_concatenated(sources)) gather(sources);
    sources.advance_term();
  }
  std::span<const RangeInput> inputs() const { return inputs_; }

 private:
  static void count(const RunEntry& entry, RangeInput& input) {
    input.totals.posting_count += entry.document_count;
    input.totals.occurrence_count += entry.occurrence_count;
  }

  // Handles most lists. Returns false, and writes nothing, if fragments share a document or one entry is too small.
  bool write_concatenated(const TermMergeCursor& sources) {
    entry_.clear();
    for (const std::uint32_t i : sources.inputs()) {
      const RunEntry& entry = sources.entry(i);
      const RangeInput& input = inputs_[i];
      if (!entry.fragments.empty() || entry.last_document >= input.document_count ||
          !entry_.add({entry.postings, entry.positions, entry.document_count, entry.occurrence_count, input.base,
                       input.base + entry.last_document})) {
        return false;
      }
    }
    return lists_.write(sources.entry().term, entry_);
  }

  void gather(const TermMergeCursor& sources) {
    gatherer_.begin(sources.entry().term, ListGatherer::Bytes::kStay);
    for (const std::uint32_t input : sources.inputs()) gatherer_.add(sources.entry(input), inputs_[input]);
    gatherer_.end();
  }

  PostingsConcatenator& lists_;
  ListGatherer gatherer_;
  ConcatenatedEntry entry_;
  std::vector<RangeInput> inputs_;
};

}  // namespace spillway
