// The inner loop of PositionFolder: the positions of a document, sorted by term, become distances as varints, all lists
// of the document in one pass. The widest instructions that the CPU has are chosen at run time; all paths write the
// same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

struct SortedPositions {
  // List by list, each ascending. Its front becomes where each list ends, counted from the first byte written.
  std::span<std::uint32_t> positions;
  // A bit for each position: it is the first of its list, whose distance counts from 0; and one that is set behind
  // them.
  const std::uint64_t* starts = nullptr;
  // For each list, the sum of the position values up to its end, over the lists before as well. Room for as many as
  // positions.
  std::uint64_t* weights = nullptr;
};

// Writable bytes behind the last one that is kept.
inline constexpr std::size_t kDistanceSlack = 64;

// Returns the end of what is written. Requires: five bytes for each position and the slack at `to`.
using WriteDistances = std::uint8_t* (*)(const SortedPositions& document, std::uint8_t* to);

// The fastest on this CPU.
WriteDistances distance_writer();
// Every path that this CPU can run, the portable one first: for tests and benchmarks.
std::span<const WriteDistances> all_distance_writers();

}  // namespace spillway
