// A tournament tree of the records of sorted runs, which compares no byte twice: each loser knows how many bytes it
// shares with the winner that beat it (Bingmann, Eberle, Sanders, "Engineering parallel string sorting", 2017).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sort/lines/ranges.hpp"
#include "sort/lines/run.hpp"

namespace spillway {

// Hands out the records of a range in order.
class RunMerger {
 public:
  RunMerger(std::span<const Run> runs, const RecordOrder& order, const MergeRange& range);

  bool next();
  Record record() const { return cursors_[winner_].record(); }
  // Bytes that the record shares with the last one; 0 for the first.
  std::uint32_t shared() const { return shared_; }
  // Whether the record compares equal to the last one.
  bool is_repeated() const { return is_repeated_; }

 private:
  struct Player {
    std::uint32_t source;
    std::int64_t shared;  // with the record that won against it; -1: its run has ended
  };
  bool wins(Player& challenger, Player& holder) const;
  void build();
  void replay(Player challenger);
  RecordOrder order_;
  std::vector<RunCursor> cursors_;
  std::vector<Record> heads_;
  std::vector<Player> losers_;
  std::uint32_t winner_ = 0, shared_ = 0;
  std::size_t last_bytes_ = 0, running_ = 0;
  bool is_started_ = false, is_repeated_ = false;
};

}  // namespace spillway
