#include "indexer/position_folder.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "io/byte_order.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMaxDistanceBytes = 5;

std::size_t max_occurrences(const ChunkLimits& limits) { return limits.stream_words / 8 + 1; }
// Most distances take one or two bytes.
std::size_t max_distances(const ChunkLimits& limits) { return 2 * limits.stream_words; }
// write_distance() writes four bytes, whatever the varint takes.
constexpr std::size_t kStoreSlack = 8;

// A varint without a branch on its length, as long as it is one of up to three bytes.
std::uint8_t* write_distance(std::uint8_t* to, std::uint32_t distance) {
  if (distance >> 21 != 0) return write_varint(to, distance);
  const std::uint32_t two = distance >> 7 != 0 ? 1 : 0, three = distance >> 14 != 0 ? 1 : 0;
  store_le<std::uint32_t>(
      to, (distance & 0x7F) | (distance & 0x3F80) << 1 | (distance & 0x1FC000) << 2 | two << 7 | three << 15);
  return to + 1 + two + three;
}

std::size_t entries(const ChunkLimits& limits) { return std::size_t{limits.table_entries} + 2; }

}  // namespace

// A document that ends when the distances are nearly full, and the first occurrences of the next, come on top.
std::size_t PositionFolder::max_distance_bytes(const ChunkLimits& limits, std::size_t slack) {
  return max_distances(limits) + kMaxDistanceBytes * (max_occurrences(limits) + 2 * slack);
}

std::size_t PositionFolder::memory_bytes(const ChunkLimits& limits, std::size_t slack) {
  return (3 * (max_occurrences(limits) + slack) + entries(limits)) * sizeof(std::uint32_t) +
         max_distance_bytes(limits, slack) + kStoreSlack;
}

PositionFolder::PositionFolder(MemoryBudget& budget, const ChunkLimits& limits, std::size_t slack, bool used)
    : max_occurrences_(max_occurrences(limits)),
      max_distances_(max_distances(limits)),
      memory_(budget, used ? memory_bytes(limits, slack) : 0, "a chunk's positions") {
  if (!used) return;
  const std::size_t room = max_occurrences_ + slack;
  auto* const words = reinterpret_cast<std::uint32_t*>(memory_.data());
  occurrences_ = words;
  sorted_ = words + 2 * room;
  entry_bytes_ = {words + 3 * room, entries(limits)};
  std::fill(entry_bytes_.begin(), entry_bytes_.end(), 0);
  distances_ = reinterpret_cast<std::uint8_t*>(words + 3 * room + entries(limits));
}

// An entry's frequency becomes the place of its first occurrence, then moves to the place behind its last one.
void PositionFolder::sort(TermTable& table, std::span<const std::uint32_t> touched, std::size_t occurrences) {
  std::uint32_t place = 0;
  for (const std::uint32_t number : touched) {
    place += std::exchange(table[number].frequency, place);
  }
  if (place != occurrences) throw std::logic_error("a document's terms do not add up to its occurrences");
  for (std::size_t i = 0; i < 2 * occurrences; i += 2) {
    sorted_[table[occurrences_[i]].frequency++] = occurrences_[i + 1];
  }
  taken_ = 0;
}

PositionFolder::List PositionFolder::append(TermTable& table, std::uint32_t number) {
  const std::uint32_t end = std::exchange(table[number].frequency, 0);
  List list;
  list.frequency = end - taken_;
  std::uint8_t* const begin = distances_ + distances_used_;
  std::uint8_t* to = begin;
  std::uint32_t last = 0;
  for (std::uint32_t i = taken_; i != end; ++i) {
    const std::uint32_t position = sorted_[i];
    list.weight += position_value(position);
    to = write_distance(to, position - last);
    last = position;
  }
  taken_ = end;
  list.bytes = static_cast<std::uint32_t>(to - begin);
  distances_used_ += list.bytes;
  entry_bytes_[number] += list.bytes;
  return list;
}

}  // namespace spillway
