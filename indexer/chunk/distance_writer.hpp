// The inner loop of PositionFolder: writes the positions of a document, sorted by term, as varint distances, all lists
// in one pass. O(positions), in place. The widest instructions of the CPU are chosen at run time; all paths write the
// same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

struct SortedPositions {
  // List by list, each ascending. Overwritten: entry i becomes the end of list i, in bytes from the first one written.
  std::span<std::uint32_t> positions;
  // A bit for each position, set for the first one of a list, whose distance counts from 0; then one more bit, set.
  const std::uint64_t* starts = nullptr;
  // Output: for each list, the sum of the position values of this list and all lists before it. Room for an entry per
  // position.
  std::uint64_t* weights = nullptr;
};

// Bytes after the last distance that may be overwritten.
inline constexpr std::size_t kDistanceSlack = 64;

// Returns the end of the distances. Requires: room at `to` for five bytes per position and the slack.
using WriteDistances = std::uint8_t* (*)(const SortedPositions& document, std::uint8_t* to);

// The fastest on this CPU.
WriteDistances distance_writer();
// Every path that this CPU can run, the portable one first: for tests and benchmarks.
std::span<const WriteDistances> all_distance_writers();

}  // namespace spillway
