// Checks positions and sums their values, posting by posting: what OccurrenceSum::positions is re-derived from.
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
  // Sum of the position values of the distances [begin, end).
  std::uint64_t weight(std::size_t begin, std::size_t end) const { return sums_[end] - sums_[begin]; }
  // The position that the last posting ends with; its meaning is lost unless ascends().
  std::uint32_t last() const { return last_; }

 private:
  void mark_starts(std::span<const std::uint32_t> frequencies, std::size_t count);
  std::vector<std::uint64_t> starts_;  // a bit for each distance: it is the first of its posting
  std::vector<std::uint64_t> sums_;    // of the values of the positions before
  bool ascends_ = true;
  std::uint32_t last_ = 0;
};

// The two ways of doing it, with the same results: for tests. take() uses the second where it is there.
struct PositionScan {
  std::span<const std::uint32_t> distances;
  const std::uint64_t* starts = nullptr;
  std::uint64_t* sums = nullptr;  // one more than distances; the first is 0
  bool ascends = true;
  std::uint32_t last = 0;
};
using ScanPositions = void (*)(PositionScan& scan);
std::span<const ScanPositions> all_position_scans();  // the portable one first

}  // namespace spillway
