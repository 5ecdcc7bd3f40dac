// Positions of a chunk, document by document. The occurrences of a document wait in text order; when it ends they are
// sorted by term while they are in cache (a counting sort, since folding knows the frequencies), and their distances
// appended as varints. The lists are then handed out in order as the postings are emitted. So the chunk is inverted by
// moving whole lists.
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
  // `slack` more occurrences than a full one has room for may be added before it is asked whether it is full.
  static std::size_t memory_bytes(const ChunkLimits& limits, std::size_t slack);
  // The most bytes of distances that a chunk gets.
  static std::size_t max_distance_bytes(const ChunkLimits& limits, std::size_t slack);
  // Asks for no memory if not `used`.
  PositionFolder(MemoryBudget& budget, const ChunkLimits& limits, std::size_t slack, bool used);

  // Pairs (entry number, position) of the document's occurrences in this chunk, in order; the count is the caller's.
  std::uint32_t* occurrences() { return occurrences_; }
  // Must the chunk be sealed before more is added?
  bool is_full(std::size_t occurrences) const {
    return occurrences >= max_occurrences_ || distances_used_ >= max_distances_;
  }

  // The document's part ends: sorts its occurrences by term, and appends their distances. `touched` are its terms;
  // their entries' frequencies are used up.
  void fold(TermTable& table, std::span<const std::uint32_t> touched, std::size_t occurrences);
  struct List {
    std::uint32_t frequency = 0;
    std::uint32_t bytes = 0;   // of its distances
    std::uint64_t weight = 0;  // sum of its position values
  };
  // The list of the next of the touched terms; adds its bytes to the entry's.
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

  // Of the chunk so far, list by list.
  std::span<const std::uint8_t> distances() const { return {distances_, distances_used_}; }
  void clear() { distances_used_ = 0; }

 private:
  std::size_t max_occurrences_, max_distances_;
  Buffer memory_;
  std::uint32_t* occurrences_ = nullptr;
  std::uint64_t* weights_ = nullptr;  // where occurrences_ were
  std::uint32_t* sorted_ = nullptr;   // positions, then ends of lists (SortedPositions)
  std::uint64_t* starts_ = nullptr;
  std::uint8_t* distances_ = nullptr;
  std::size_t distances_used_ = 0;
  // By next_list(), of the document:
  std::uint32_t taken_lists_ = 0, taken_ = 0, taken_bytes_ = 0;
  std::uint64_t taken_weight_ = 0;
  WriteDistances write_ = distance_writer();
};

}  // namespace spillway
