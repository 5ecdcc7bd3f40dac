// Checks positions and sums their values for each posting: ContentChecksum::positions is derived again from these sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spillway {

// Processes the positions of one entry after another. Not thread-safe. Keeps its buffers between entries.
class PositionSums {
 public:
  // Takes the `distances` of decode_positions() for postings with these frequencies. Requires: every frequency is at
  // least 1, and they sum to the number of distances.
  void take(std::span<const std::uint32_t> frequencies, std::span<const std::uint32_t> distances);

  // Returns whether the positions of every posting of the entry ascend and stay below 2^32.
  bool ascends() const { return ascends_; }
  // Running sums of position values: 0, then for each posting the sum of all values up to its last position.
  std::span<const std::uint64_t> sums() const { return {sums_.data(), sum_count_}; }
  // The sum of the position values of one posting.
  std::uint64_t weight(std::size_t posting) const { return sums_[posting + 1] - sums_[posting]; }
  // The last position of the last posting. Meaningless unless ascends().
  std::uint32_t last() const { return last_; }

 private:
  void mark_starts(std::span<const std::uint32_t> frequencies, std::size_t count);
  std::vector<std::uint64_t> starts_;  // see PositionScan
  std::vector<std::uint64_t> sums_;
  std::size_t sum_count_ = 0;
  bool ascends_ = true;
  std::uint32_t last_ = 0;
};

// The two implementations, which give the same results: for tests. take() uses the second where the CPU supports it.
struct PositionScan {
  static constexpr std::size_t kSlack = 8;
  std::span<const std::uint32_t> distances;
  // One bit for each distance, set where a posting starts, and one more set bit after the last.
  const std::uint64_t* starts = nullptr;
  // For each posting, the sum of all values up to its last position; with room for kSlack more.
  std::uint64_t* sums = nullptr;
  bool ascends = true;
  std::uint32_t last = 0;
};
using ScanPositions = void (*)(PositionScan& scan);
std::span<const ScanPositions> all_position_scans();  // the portable implementation first

}  // namespace spillway
