// Checks positions and sums their values, posting by posting: what ContentChecksum::positions is re-derived from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spillway {

// Over the positions of one piece after another. Not thread-safe; keeps its buffers.
class PositionSums {
 public:
  // `distances` as decode_positions() gives them, for postings of these frequencies. Requires: the frequencies, none of
  // them 0, add up to their number.
  void take(std::span<const std::uint32_t> frequencies, std::span<const std::uint32_t> distances);

  // Of that piece: do the positions of every posting ascend, and stay below 2^32?
  bool ascends() const { return ascends_; }
  // Running sums of the position values: 0, and one for each posting, of all up to its last.
  std::span<const std::uint64_t> sums() const { return {sums_.data(), sum_count_}; }
  // Sum of the position values of the posting.
  std::uint64_t weight(std::size_t posting) const { return sums_[posting + 1] - sums_[posting]; }
  // The position that the last posting ends with; its meaning is lost unless ascends().
  std::uint32_t last() const { return last_; }

 private:
  void mark_starts(std::span<const std::uint32_t> frequencies, std::size_t count);
  std::vector<std::uint64_t> starts_;  // as PositionScan's
  std::vector<std::uint64_t> sums_;
  std::size_t sum_count_ = 0;
  bool ascends_ = true;
  std::uint32_t last_ = 0;
};

// The two ways of doing it, with the same results: for tests. take() uses the second where it is there.
struct PositionScan {
  static constexpr std::size_t kSlack = 8;
  std::span<const std::uint32_t> distances;
  // A bit for each distance: it is the first of its posting; and one that is set behind them.
  const std::uint64_t* starts = nullptr;
  // For each posting, the sum of the values of all positions up to its last; room for kSlack more.
  std::uint64_t* sums = nullptr;
  bool ascends = true;
  std::uint32_t last = 0;
};
using ScanPositions = void (*)(PositionScan& scan);
std::span<const ScanPositions> all_position_scans();  // the portable one first

}  // namespace spillway
