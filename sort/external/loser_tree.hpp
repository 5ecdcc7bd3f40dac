// Loser tree over k sources: the winner is at the root, and replacing it replays one path of ceil(log2 k) comparisons
// (Knuth, TAOCP 3, 5.4.1). Memory: one index a source. Stable.
#pragma once

#include <cstddef>
#include <vector>

namespace spillway {

// Less(a, b) compares the current items of two sources, given by number; exhausted sources come last. It breaks ties by
// number, which makes merges stable. The k >= 1 sources are numbered from 0. Not thread-safe.
template <typename Less>
class LoserTree {
 public:
  LoserTree(std::size_t source_count, Less less) : less_(less), size_(source_count), losers_(source_count) {
    std::vector<std::size_t> winners(2 * size_);
    for (std::size_t i = 0; i < size_; ++i) winners[size_ + i] = i;
    for (std::size_t node = size_ - 1; node >= 1; --node) {
      const std::size_t a = winners[2 * node], b = winners[2 * node + 1];
      const bool a_wins = less_(a, b);
      winners[node] = a_wins ? a : b;
      losers_[node] = a_wins ? b : a;
    }
    losers_[0] = size_ == 1 ? 0 : winners[1];
  }

  std::size_t winner() const { return losers_[0]; }

  // Finds the new winner. Requires: the winner has moved on. Selects without branches, because comparisons are
  // as unpredictable as coin tosses.
  void replay() {
    std::size_t current = losers_[0];
    for (std::size_t node = (current + size_) / 2; node >= 1; node /= 2) {
      const std::size_t other = losers_[node];
      const bool other_wins = less_(other, current);
      losers_[node] = other_wins ? current : other;
      current = other_wins ? other : current;
    }
    losers_[0] = current;
  }

 private:
  Less less_;
  std::size_t size_;
  std::vector<std::size_t> losers_;
};

}  // namespace spillway
