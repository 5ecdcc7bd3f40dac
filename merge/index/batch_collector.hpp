// Collects whole lists in the arrays of a lane (merge/index/batch_lane.hpp). The last list may be open: lists before it
// can be merged and dropped meanwhile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/run.hpp"
#include "merge/index/batch_lane.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway {

// An entry of a list, and what a merge knows of its input.
struct BatchEntry {
  std::uint32_t input = 0;
  std::uint32_t input_base = 0;      // number, in the source, of the input's first document
  std::uint64_t document_count = 0;  // of the input
  bool may_go_on = false;            // its first document may be the last one of the entry before
  const RunEntry& entry;
};

// Not thread-safe. The arrays live longer.
class BatchCollector {
 public:
  BatchCollector(const BatchArrays& arrays, bool has_positions) : arrays_(arrays), has_positions_(has_positions) {}

  // Opens a list. Requires: room_for_list(), or that there is no list.
  void begin_list(std::string_view term);
  // Whether one more list and its term fit; the terms may take as many bytes as the postings.
  bool room_for_list(std::string_view term) const {
    return lists_.size() + 1 < arrays_.lists.size() && terms_.size() + term.size() <= arrays_.postings.size();
  }
  // Copies an entry of the open list. Returns false, and copies nothing, where it does not fit or its counts are
  // impossible.
  bool add(const BatchEntry& entry);
  void end_list() { complete_ = lists_.size(); }

  // The room that all lists take, the open one among them.
  const BatchSize& used() const { return used_; }
  // The lists before the open one.
  std::size_t complete_lists() const { return complete_; }
  // Writes the ends of the arrays for the complete lists. Returns their size.
  BatchSize seal();
  std::string_view term(std::size_t list) const {
    return {terms_.data() + lists_[list].first_term_byte, lists_[list].term_bytes};
  }
  std::span<const std::uint8_t> terms() const {
    return {reinterpret_cast<const std::uint8_t*>(terms_.data()), lists_end(complete_).first_term_byte};
  }

  // Calls visit(input, entry) for each fragment of a list, which is complete or open, as an entry of its input.
  // `last_goes_on`: RunEntry::goes_on of the last one, which an entry that is not collected yet may follow.
  template <typename Visit>
  void for_each_entry(std::size_t list, const Visit& visit, bool last_goes_on = false) const {
    const std::size_t end = list + 1 < lists_.size() ? lists_[list + 1].first_fragment : used_.fragments;
    for (std::size_t f = lists_[list].first_fragment; f < end; ++f) {
      const ListFragment fragment = fragment_of(f);
      RunEntry entry;
      entry.term = term(list);
      entry.document_count = fragment.document_count;
      entry.occurrence_count = fragment.occurrence_count;
      entry.last_document = fragment.last_document;
      entry.fragments = {&fragment, 1};
      entry.goes_on = f + 1 < end ? (arrays_.fragments[f + 1].flags & BatchFragment::kMayGoOn) != 0 : last_goes_on;
      visit(origins_[f].input, entry);
    }
  }

  // Adds the counts of the complete lists to those of their inputs.
  void count(std::span<InputTotals> inputs) const;

  // Drops the complete lists, and moves the open one to the begin.
  void drop_complete();
  // Drops the open list. Requires: there is no other.
  void drop_open();

 private:
  struct List {
    std::uint32_t first_fragment, term_bytes;
    std::size_t first_term_byte;
  };
  // Where a fragment comes from.
  struct Origin {
    std::uint32_t input, input_base;
  };
  List lists_end(std::size_t list) const {
    return list < lists_.size() ? lists_[list] : List{used_.fragments, 0, terms_.size()};
  }
  bool fits(const BatchEntry& entry) const;
  void copy(const BatchEntry& entry, const ListFragment& fragment, std::uint32_t flags);
  void mark_start(std::size_t from, std::size_t bytes);
  ListFragment fragment_of(std::size_t f) const;
  BatchFragment end_of(const BatchSize& size) const;

  const BatchArrays arrays_;
  const bool has_positions_;
  BatchSize used_;
  std::vector<List> lists_;
  std::vector<Origin> origins_;  // by fragment
  std::vector<char> terms_;
  std::size_t complete_ = 0;
};

}  // namespace spillway
