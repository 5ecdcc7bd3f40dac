#include "sort/lines/tournament.hpp"

#include <algorithm>
#include <utility>

namespace spillway {

RunMerger::RunMerger(std::span<const Run> runs, const RecordOrder& order, const MergeRange& range) : order_(order) {
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (range.begin[run] >= range.end[run]) continue;
    cursors_.emplace_back(runs[run], order);
    cursors_.back().seek(range.begin[run], range.end[run]);
  }
  heads_.resize(cursors_.size());
  losers_.resize(cursors_.size());
  running_ = cursors_.size();
}

// Both share with the last winner what they say. Leaves in the loser what it shares with the one that wins.
bool RunMerger::wins(Player& challenger, Player& holder) const {
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

void RunMerger::build() {
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

void RunMerger::replay(Player challenger) {
  for (std::size_t node = (challenger.source + cursors_.size()) / 2; node >= 1; node /= 2) {
    if (!wins(challenger, losers_[node])) std::swap(challenger, losers_[node]);
  }
  winner_ = challenger.source;
  shared_ = challenger.shared < 0 ? 0 : static_cast<std::uint32_t>(challenger.shared);
}

bool RunMerger::next() {
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
    const std::size_t most = std::min(before, heads_[winner_].compared(order_).size());
    shared = std::min<std::int64_t>(cursors_[winner_].shared(), static_cast<std::int64_t>(most));
  } else if (--running_ == 0) {
    return false;
  }
  replay({winner_, shared});
  last_bytes_ = heads_[winner_].compared(order_).size();
  is_repeated_ = shared_ == before && before == last_bytes_;
  return true;
}

}  // namespace spillway
