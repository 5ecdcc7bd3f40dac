// Merges the lists of one term range after another: what one thread of the last pass does.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/checksum/position_sums.hpp"
#include "io/postings/list_encoder.hpp"
#include "merge/index/dropped_documents.hpp"
#include "merge/index/ordered_lists.hpp"
#include "merge/input/merge_input.hpp"
#include "merge/input/source_layout.hpp"

namespace spillway {

// What the threads of a merge share. All of it outlives them.
struct ListMergeJob {
  std::span<const MergeInput* const> inputs;
  const SourceLayout& layout;
  const DroppedDocuments& dropped;
  std::span<const std::uint8_t> length_codes;
  Positions positions;
  std::size_t batch_bytes;
  OrderedLists& out;
  std::function<void(std::uint64_t postings)> tick;  // called often, from any thread; throws to stop
};

// Sums over the ranges that were merged so far.
struct ListMergeTotals {
  struct Input {
    std::uint64_t posting_count = 0, occurrence_count = 0;
    ContentChecksum sum;  // in the input's own numbering
  };
  std::vector<Input> inputs;
  std::uint64_t posting_count = 0, occurrence_count = 0;  // of the index: without dropped ones, border documents joined
  std::uint64_t dropped_occurrence_count = 0;
  ContentChecksum dropped_sum;  // in source numbering

  void add(const ListMergeTotals& other);
};

// Not thread-safe; reuses its buffers from range to range.
class PostingsMerger {
 public:
  explicit PostingsMerger(const ListMergeJob& job);

  // All terms first <= term < last (empty last: to the end), as range `range` of the output.
  void merge_range(std::size_t range, const std::string& first, const std::string& last);
  const ListMergeTotals& totals() const { return totals_; }

 private:
  void put_batch();
  void begin_list(std::string_view term);
  void add_piece(std::size_t input, const RunEntry& piece);
  void make_room(std::size_t piece_postings);
  void add_stretch(std::size_t input, const RunEntry& piece, std::size_t count);
  void take_positions(std::size_t input, const RunEntry& piece, std::size_t count);
  void drop_positions(std::uint32_t base, std::size_t count);
  void to_source_numbers(std::size_t input, std::size_t count);
  std::size_t join_border(std::size_t input, std::size_t count);
  bool may_go_on(std::size_t input, const RunEntry& piece) const;
  void emit();
  std::size_t drop(std::size_t count);
  std::size_t drop_some(std::size_t begin, std::size_t end, std::size_t kept);
  void end_list();
  [[noreturn]] void fail(std::size_t input, const std::string& expected) const;

  struct Input {
    std::string name;                  // for messages
    std::uint64_t document_count = 0;  // in it
    std::uint32_t base = 0;            // number of its first document in the source
    // The document that the next input begins with, in source numbering, where it goes on there.
    std::optional<std::uint32_t> cut_document;
  };
  static std::vector<Input> describe(const ListMergeJob& job);

  const ListMergeJob& job_;
  std::vector<Input> inputs_;
  ListMergeTotals totals_;
  ListEncoder encoder_;
  DocumentWeight weight_, dropped_weight_, dropped_position_weight_;
  std::size_t range_ = 0;
  // Postings of this list, in source numbering, the first waiting_ of which wait for the encoder; behind them there is
  // room for more.
  std::vector<std::uint32_t> documents_, frequencies_;
  std::size_t waiting_ = 0;
  // The document of the last of them may go on in the next piece: it waits for the rest of its frequency. Its positions
  // do not wait.
  bool holds_border_ = false;
  std::uint32_t border_position_ = 0;  // the last one of that posting
  std::vector<std::uint32_t> distances_;
  PositionSums position_sums_;
  std::string term_;
  TermHash hash_{};
  std::uint64_t next_document_ = 0;  // the least, in source numbering, that may come next in this list
  std::uint64_t unreported_ = 0;     // postings since the last tick
};

}  // namespace spillway
