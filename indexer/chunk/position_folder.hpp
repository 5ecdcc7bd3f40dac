// Positions of a chunk, document by document. The occurrences of a document wait in text order. When the document ends,
// a counting sort orders them by term while they are in cache, and their distances are appended as varints. The parser
// takes the lists in order as it emits the postings, so inverting the chunk moves whole lists. O(occurrences + terms).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "indexer/chunk/distance_writer.hpp"
#include "indexer/chunk/limits.hpp"
#include "indexer/chunk/term_table.hpp"
#include "io/checksum/content_checksum.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

class PositionFolder {
 public:
  // Up to `slack` occurrences may be added between two calls of is_full().
  static std::size_t memory_bytes(const ChunkLimits& limits, std::size_t slack);
  // The most bytes of distances in a chunk.
  static std::size_t max_distance_bytes(const ChunkLimits& limits, std::size_t slack);
  // Takes no memory if not `used`.
  PositionFolder(MemoryBudget& budget, const ChunkLimits& limits, std::size_t slack, bool used);

  // Pairs (entry number, position) of the document's occurrences in this chunk, in order. The caller writes and counts
  // them.
  std::uint32_t* occurrences() { return occurrences_; }
  // Returns whether the chunk must be sealed before more is added.
  bool is_full(std::size_t occurrences) const {
    return occurrences >= max_occurrences_ || distances_used_ >= max_distances_;
  }

  // Sorts the document's occurrences by term, and appends their distances. `touched`: its terms, by first occurrence.
  // Uses their entries' frequencies up.
  void fold(TermTable& table, std::span<const std::uint32_t> touched, std::size_t occurrences);
  struct List {
    std::uint32_t frequency = 0;
    std::uint32_t bytes = 0;   // of its distances
    std::uint64_t weight = 0;  // sum of its position values
  };
  // Returns the list of the next touched term, and adds its bytes to the entry.
  List next_list(TableEntry& entry) {
    const std::uint32_t end = std::exchange(entry.frequency, 0);
    const List list{end - taken_, sorted_[taken_lists_] - taken_bytes_, weights_[taken_lists_] - taken_weight_};
    ++taken_lists_;
    taken_ = end;
    taken_bytes_ += list.bytes;
    taken_weight_ += list.weight;
    entry.distance_bytes += list.bytes;
    return list;
  }

  // Returns the distances of all lists that next_list() has returned for this chunk, list by list.
  std::span<const std::uint8_t> distances() const { return {distances_, distances_used_}; }
  void clear() { distances_used_ = 0; }

 private:
  std::size_t max_occurrences_, max_distances_;
  Buffer memory_;
  std::uint32_t* occurrences_ = nullptr;
  std::uint64_t* weights_ = nullptr;  // in the memory of occurrences_
  std::uint32_t* sorted_ = nullptr;   // positions, then ends of lists (SortedPositions)
  std::uint64_t* starts_ = nullptr;
  std::uint8_t* distances_ = nullptr;
  std::size_t distances_used_ = 0;
  // How far next_list() has come in the document:
  std::uint32_t taken_lists_ = 0, taken_ = 0, taken_bytes_ = 0;
  std::uint64_t taken_weight_ = 0;
  WriteDistances write_ = distance_writer();
};

}  // namespace spillway
