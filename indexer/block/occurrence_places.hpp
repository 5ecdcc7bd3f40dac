// The documents and positions of a block's occurrences (ChunkForm::kTables), by their numbers in (document, position)
// order. A sort key holds such a number instead of both, so that it never passes 64 bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "indexer/block/block.hpp"

namespace spillway {

// Immutable. The block lives longer.
class OccurrencePlaces {
 public:
  // Takes 4 bytes per document from the budget. BudgetError for more than 2^32 - 1 occurrences.
  OccurrencePlaces(const Block& block, const std::vector<std::uint32_t>& bases, MemoryBudget& budget);
  static std::size_t memory_bytes(std::size_t documents) { return documents * sizeof(std::uint32_t); }

  std::uint64_t count() const { return first_.back(); }

  // Finds the occurrences of one term. Requires: the numbers ascend. document() takes O(log documents).
  class Ascending {
   public:
    explicit Ascending(const OccurrencePlaces& places) : places_(places) {}
    // Returns the number in the block of the occurrence's document.
    std::uint32_t document(std::uint64_t occurrence) {
      const auto begin = places_.ends_.begin() + document_;
      document_ += std::upper_bound(begin, places_.ends_.end(), static_cast<std::uint32_t>(occurrence)) - begin;
      return static_cast<std::uint32_t>(document_);
    }
    // Returns the number after the last occurrence of the document that document() has found.
    std::uint64_t document_end() const { return places_.ends_[static_cast<std::size_t>(document_)]; }
    std::uint32_t position(std::uint64_t occurrence) {
      while (occurrence >= places_.first_[chunk_ + 1]) ++chunk_;
      return places_.block_.chunks[chunk_].table().positions[occurrence - places_.first_[chunk_]];
    }

   private:
    const OccurrencePlaces& places_;
    std::ptrdiff_t document_ = 0;
    std::size_t chunk_ = 0;
  };

 private:
  const Block& block_;
  std::vector<std::uint64_t> first_;  // first occurrence of each chunk, then the count
  Buffer memory_;
  std::span<std::uint32_t> ends_;  // by document
};

}  // namespace spillway
