// A tournament tree of the records of sorted sources, which compares no byte twice: each loser knows how many bytes it
// shares with the winner that beat it (Bingmann, Eberle, Sanders, "Engineering parallel string sorting", 2017).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sort/lines/runs/ranges.hpp"
#include "sort/lines/runs/run.hpp"

namespace spillway {

// Hands out the records of all cursors in order; equal records in the order of their cursors. A cursor has next(),
// record() and shared() as RunCursor has them. If records of a cursor are not in order, neither are those handed out,
// but they are all there, and what is told about them is true. O(log n) comparisons a record.
template <typename Cursor>
class Tournament {
 public:
  // Requires: no cursor is empty. Each stands before its first record.
  Tournament(std::vector<Cursor> cursors, const RecordOrder& order)
      : order_(order),
        cursors_(std::move(cursors)),
        heads_(cursors_.size()),
        losers_(cursors_.size()),
        running_(cursors_.size()) {}

  // Goes to the next record; if the order is unique, to the next one that differs from the last. Returns false at the
  // end.
  bool next() {
    while (advance()) {
      if (!order_.is_unique || !is_repeated_) return true;
    }
    return false;
  }
  Record record() const { return cursors_[winner_].record(); }
  std::span<Cursor> cursors() { return cursors_; }
  // Bytes that the record shares with the last one, as far as they are compared; 0 for the first.
  std::uint32_t shared() const { return shared_; }

 private:
  struct Player {
    std::uint32_t source;
    std::int64_t shared;  // with the record that won against it; -1: its source has ended
  };
  bool advance();
  bool wins(Player& challenger, Player& holder) const;
  void build();
  void replay(Player challenger);
  RecordOrder order_;
  std::vector<Cursor> cursors_;
  std::vector<Record> heads_;
  std::vector<Player> losers_;
  std::uint32_t winner_ = 0, shared_ = 0;
  std::size_t last_bytes_ = 0, running_ = 0;
  bool is_started_ = false;
  bool is_repeated_ = false;  // the record compares equal to the last one
};

using RunMerger = Tournament<RunCursor>;

// Merges a range of sorted runs, which outlive the merger.
RunMerger merge_range(std::span<const Run> runs, const RecordOrder& order, const MergeRange& range);

// Both share with the last winner what they say. Leaves in the loser what it shares with the one that wins.
template <typename Cursor>
bool Tournament<Cursor>::wins(Player& challenger, Player& holder) const {
  if (challenger.shared != holder.shared) return challenger.shared > holder.shared;
  if (challenger.shared < 0) return challenger.source < holder.source;
  std::size_t shared = 0;
  const int difference =
      compare_records(heads_[challenger.source].compared(order_), heads_[holder.source].compared(order_),
                      static_cast<std::size_t>(challenger.shared), order_, shared);
  const bool challenger_wins = difference < 0 || (difference == 0 && challenger.source < holder.source);
  (challenger_wins ? holder : challenger).shared = static_cast<std::int64_t>(shared);
  return challenger_wins;
}

template <typename Cursor>
void Tournament<Cursor>::build() {
  const std::size_t size = cursors_.size();
  std::vector<Player> winners(2 * size);
  for (std::size_t i = 0; i < size; ++i) {
    cursors_[i].next();
    heads_[i] = cursors_[i].record();
    winners[size + i] = {static_cast<std::uint32_t>(i), 0};
  }
  for (std::size_t node = size - 1; node >= 1; --node) {
    Player a = winners[2 * node], b = winners[2 * node + 1];
    const bool a_wins = wins(a, b);
    winners[node] = a_wins ? a : b;
    losers_[node] = a_wins ? b : a;
  }
  winner_ = winners[1].source;
  shared_ = 0;
}

template <typename Cursor>
void Tournament<Cursor>::replay(Player challenger) {
  for (std::size_t node = (challenger.source + cursors_.size()) / 2; node >= 1; node /= 2) {
    if (!wins(challenger, losers_[node])) std::swap(challenger, losers_[node]);
  }
  winner_ = challenger.source;
  shared_ = challenger.shared < 0 ? 0 : static_cast<std::uint32_t>(challenger.shared);
}

template <typename Cursor>
bool Tournament<Cursor>::advance() {
  if (running_ == 0) return false;
  if (!is_started_) {
    is_started_ = true;
    build();
    last_bytes_ = heads_[winner_].compared(order_).size();
    return true;
  }
  const std::size_t before = last_bytes_;
  std::int64_t shared = -1;
  if (cursors_[winner_].next()) {
    heads_[winner_] = cursors_[winner_].record();
    // If the keys decide, no more than they share counts.
    const std::size_t bytes = heads_[winner_].compared(order_).size(), most = std::min(before, bytes);
    shared = std::min<std::int64_t>(cursors_[winner_].shared(), static_cast<std::int64_t>(most));
    is_repeated_ = bytes == before && shared == static_cast<std::int64_t>(before);
    if (is_repeated_) {  // wins again, for it wins ties as the last one did
      shared_ = static_cast<std::uint32_t>(before);
      return true;
    }
  } else if (--running_ == 0) {
    return false;
  }
  replay({winner_, shared});
  last_bytes_ = heads_[winner_].compared(order_).size();
  is_repeated_ = shared_ == before && before == last_bytes_;
  return true;
}

}  // namespace spillway
