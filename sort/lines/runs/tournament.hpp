// A tournament tree of the records of sorted sources, which compares hardly a byte twice: each loser knows how many
// bytes it shares with the winner that beat it (Bingmann, Eberle, Sanders, "Engineering parallel string sorting",
// 2017), and the byte after them.
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
  static constexpr unsigned kSourceBits = 23, kRankBits = 9;

 public:
  static constexpr std::size_t kMostSources = std::size_t{1} << kSourceBits;
  // Requires: no cursor is empty, and there are at most kMostSources. Each stands before its first record.
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
  // A record that is known by what it shares with the one that won against it, the offset-value code of Conner (IBM
  // Technical Disclosure Bulletin, 1977): ~shared bytes : 32 | rank of the byte after them : 9 | source : 23. Of two
  // that were beaten by the same record the lesser code wins, and the other one keeps its code; if they differ in their
  // sources only, the bytes after that decide.
  using Player = std::uint64_t;
  static constexpr Player kEnded = ~Player{0} << kSourceBits;
  static std::uint32_t source_of(Player player) { return player & ((1U << kSourceBits) - 1); }
  static std::uint32_t shared_of(Player player) {
    return ~static_cast<std::uint32_t>(player >> (kSourceBits + kRankBits));
  }
  Player player(std::uint32_t source, std::size_t shared) const;
  bool advance();
  void resolve(Player& winner, Player& loser) const;
  void play(Player& challenger, Player& holder) const;
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

template <typename Cursor>
auto Tournament<Cursor>::player(std::uint32_t source, std::size_t shared) const -> Player {
  const std::string_view record = heads_[source].compared(order_);
  std::uint32_t rank = shared == record.size() ? 0 : 1U + static_cast<unsigned char>(record[shared]);
  if (order_.is_descending) rank = 256 - rank;
  return Player{~static_cast<std::uint32_t>(shared)} << (kSourceBits + kRankBits) | Player{rank} << kSourceBits |
         source;
}

// Requires: both were beaten by the same record. Leaves in the loser what it shares with the winner.
template <typename Cursor>
void Tournament<Cursor>::play(Player& challenger, Player& holder) const {
  if ((challenger ^ holder) >> kSourceBits == 0) return resolve(challenger, holder);
  const Player winner = std::min(challenger, holder);
  holder = std::max(challenger, holder);
  challenger = winner;
}

template <typename Cursor>
void Tournament<Cursor>::resolve(Player& winner, Player& loser) const {
  if (winner > loser) std::swap(winner, loser);  // the first source wins ties
  if (winner >= kEnded) return;
  const std::uint32_t first = source_of(winner), second = source_of(loser);
  std::size_t shared = 0;
  const std::string_view of_first = heads_[first].compared(order_), of_second = heads_[second].compared(order_);
  int difference = 0;
  if constexpr (requires { Cursor::kIsPadded; }) {
    difference = compare_padded_records(of_first, of_second, shared_of(winner), order_, shared);
  } else {
    difference = compare_records(of_first, of_second, shared_of(winner), order_, shared);
  }
  if (difference > 0) std::swap(winner, loser);
  loser = player(source_of(loser), shared);
}

template <typename Cursor>
void Tournament<Cursor>::build() {
  const std::size_t size = cursors_.size();
  std::vector<Player> winners(2 * size);
  for (std::size_t i = 0; i < size; ++i) {
    cursors_[i].next();
    heads_[i] = cursors_[i].record();
    winners[size + i] = player(static_cast<std::uint32_t>(i), 0);
  }
  for (std::size_t node = size - 1; node >= 1; --node) {
    winners[node] = winners[2 * node];
    losers_[node] = winners[2 * node + 1];
    play(winners[node], losers_[node]);
  }
  winner_ = source_of(winners[1]);
  shared_ = 0;
}

template <typename Cursor>
void Tournament<Cursor>::replay(Player challenger) {
  for (std::size_t node = (winner_ + cursors_.size()) / 2; node >= 1; node /= 2) play(challenger, losers_[node]);
  winner_ = source_of(challenger);
  shared_ = challenger >= kEnded ? 0 : shared_of(challenger);
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
  Player challenger = kEnded | winner_;
  if (cursors_[winner_].next()) {
    heads_[winner_] = cursors_[winner_].record();
    // If the keys decide, no more than they share counts.
    const std::size_t bytes = heads_[winner_].compared(order_).size();
    const std::size_t shared = std::min<std::size_t>({cursors_[winner_].shared(), before, bytes});
    is_repeated_ = bytes == before && shared == before;
    if (is_repeated_) {  // wins again, for it wins ties as the last one did
      shared_ = static_cast<std::uint32_t>(before);
      return true;
    }
    challenger = player(winner_, shared);
  } else if (--running_ == 0) {
    return false;
  }
  replay(challenger);
  last_bytes_ = heads_[winner_].compared(order_).size();
  is_repeated_ = shared_ == before && before == last_bytes_;
  return true;
}

}  // namespace spillway
