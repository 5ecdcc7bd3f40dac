// The work of one thread of the final merge: merges the lists of one term range after another. O(postings).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/checksum/position_sums.hpp"
#include "io/postings/list_encoder.hpp"
#include "merge/cursor/term_ranges.hpp"
#include "merge/index/dropped_documents.hpp"
#include "merge/index/ordered_lists.hpp"
#include "merge/input/merge_input.hpp"
#include "merge/input/source_layout.hpp"

namespace spillway {

// Shared by the threads of a merge; outlives them.
struct PostingsMergeJob {
  std::span<const MergeInput* const> inputs;
  const TermRanges& ranges;
  const SourceLayout& layout;
  const DroppedDocuments& dropped;
  std::span<const std::uint8_t> length_codes;
  Positions positions;
  std::size_t batch_bytes;
  std::size_t most_used_bytes;  // of a written batch that a processor uses again: those of lanes are larger
  OrderedLists& out;
  std::function<void(std::uint64_t postings)> tick;  // called often, by any thread; throws to stop
};

// Totals of the ranges that were merged so far.
struct PostingsMergeTotals {
  std::vector<InputTotals> inputs;
  std::uint64_t posting_count = 0, occurrence_count = 0;  // in the index: dropped documents left out, cut ones whole
  std::uint64_t dropped_occurrence_count = 0;
  ContentChecksum dropped_sum;      // in source numbering
  std::uint64_t lane_postings = 0;  // of the inputs, that lanes merged (merge/index/batch_merger.hpp)
  ContentChecksum lane_sum;         // of these, in source numbering, instead of sums of the inputs
  InputTotals held;                 // counts of lists that lanes held, of all inputs together instead of each

  void add(const PostingsMergeTotals& other);
};

// Not thread-safe; reuses its buffers from range to range.
class PostingsMerger {
 public:
  explicit PostingsMerger(const PostingsMergeJob& job);

  // Merges the lists of all terms of a range, and finishes it. Throws FormatError naming the input and the term.
  void merge_range(std::size_t range);
  const PostingsMergeTotals& totals() const { return totals_; }

  // The parts of merge_range(): for one list after the other, add_entry() takes its entries, at least one, in order.
  void begin_range(std::size_t range) { range_ = range; }
  void begin_list(std::string_view term);
  void add_entry(std::size_t input, const RunEntry& entry);
  void end_list();
  void put_batch();  // what is encoded, so that other lists can follow it
  void end_range();
  // Returns whether the next entry of a list may begin with the last document of `entry`.
  bool may_go_on(std::size_t input, const RunEntry& entry) const;

 private:
  void make_room(std::size_t entry_postings);
  void add_postings(std::size_t input, const RunEntry& entry, std::size_t count);
  void take_positions(std::size_t input, const RunEntry& entry, std::size_t count);
  void drop_positions(std::uint32_t base, std::size_t count);
  void to_source_numbers(std::size_t input, std::size_t count);
  std::size_t add_border_frequency(std::size_t input, std::size_t count);
  void emit();
  std::size_t drop(std::size_t count);
  std::size_t drop_some(std::size_t begin, std::size_t end, std::size_t kept);
  [[noreturn]] void fail(std::size_t input, const std::string& expected) const;

  struct Input {
    std::string name;  // for messages
    std::uint64_t document_count = 0;
    std::uint32_t base = 0;  // number of its first document in the source
    // The last document, in source numbering, if the next input continues it.
    std::optional<std::uint32_t> cut_document;
  };
  static std::vector<Input> describe(const PostingsMergeJob& job);

  const PostingsMergeJob& job_;
  std::vector<Input> inputs_;
  PostingsMergeTotals totals_;
  ListEncoder encoder_;
  DocumentWeight weight_, dropped_weight_, dropped_position_weight_;
  std::size_t range_ = 0;
  // Postings of this list, in source numbering. The first waiting_ wait for the encoder; the rest is room for more.
  std::vector<std::uint32_t> documents_, frequencies_;
  std::size_t waiting_ = 0;
  // The document of the last waiting posting may go on in the next entry, so the posting waits for the rest of its
  // frequency. Its positions do not wait.
  bool holds_border_ = false;
  std::uint32_t border_position_ = 0;  // the last position of that posting
  std::vector<std::uint32_t> distances_;
  PositionSums position_sums_;
  std::string term_;
  TermHash hash_{};
  std::uint64_t next_document_ = 0;  // the least document, in source numbering, that may follow in this list
  std::uint64_t unreported_ = 0;     // postings since the last tick
};

}  // namespace spillway
