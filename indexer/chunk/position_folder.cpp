#include "indexer/chunk/position_folder.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace spillway {

namespace {

constexpr std::size_t kMaxDistanceBytes = 5;

std::size_t max_occurrences(const ChunkLimits& limits) { return limits.stream_words / 8 + 1; }
// Most distances take one or two bytes.
std::size_t max_distances(const ChunkLimits& limits) { return 2 * limits.stream_words; }
std::size_t room_of(const ChunkLimits& limits, std::size_t slack) { return max_occurrences(limits) + slack; }
std::size_t start_words(std::size_t room) { return room / 64 + 1; }

}  // namespace

// Two batches of occurrences may follow nearly full distances: those of a document that ends, and the next one's first.
std::size_t PositionFolder::max_distance_bytes(const ChunkLimits& limits, std::size_t slack) {
  return max_distances(limits) + kMaxDistanceBytes * (max_occurrences(limits) + 2 * slack);
}

std::size_t PositionFolder::memory_bytes(const ChunkLimits& limits, std::size_t slack) {
  const std::size_t room = room_of(limits, slack);
  return (room + start_words(room)) * sizeof(std::uint64_t) + room * sizeof(std::uint32_t) +
         max_distance_bytes(limits, slack) + kDistanceSlack;
}

PositionFolder::PositionFolder(MemoryBudget& budget, const ChunkLimits& limits, std::size_t slack, bool used)
    : max_occurrences_(max_occurrences(limits)),
      max_distances_(max_distances(limits)),
      memory_(budget, used ? memory_bytes(limits, slack) : 0, "a chunk's positions") {
  if (!used) return;
  const std::size_t room = room_of(limits, slack);
  weights_ = reinterpret_cast<std::uint64_t*>(memory_.data());
  occurrences_ = reinterpret_cast<std::uint32_t*>(memory_.data());
  starts_ = weights_ + room;
  sorted_ = reinterpret_cast<std::uint32_t*>(starts_ + start_words(room));
  distances_ = reinterpret_cast<std::uint8_t*>(sorted_ + room);
}

// An entry's frequency becomes the place of its first occurrence, then moves to the place after its last one.
void PositionFolder::fold(TermTable& table, std::span<const std::uint32_t> touched, std::size_t occurrences) {
  std::fill_n(starts_, start_words(occurrences), 0);
  std::uint32_t place = 0;
  for (const std::uint32_t number : touched) {
    if (place < occurrences) starts_[place / 64] |= std::uint64_t{1} << place % 64;
    place += std::exchange(table[number].frequency, place);
  }
  starts_[occurrences / 64] |= std::uint64_t{1} << occurrences % 64;
  if (place != occurrences) throw std::logic_error("a document's terms do not add up to its occurrences");
  for (std::size_t i = 0; i < 2 * occurrences; i += 2) {
    sorted_[table[occurrences_[i]].frequency++] = occurrences_[i + 1];
  }
  const std::uint8_t* const end = write_({{sorted_, occurrences}, starts_, weights_}, distances_ + distances_used_);
  distances_used_ = static_cast<std::size_t>(end - distances_);
  taken_lists_ = taken_ = taken_bytes_ = 0;
  taken_weight_ = 0;
}

}  // namespace spillway
