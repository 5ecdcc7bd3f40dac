// Where the occurrences of a block of plain chunks stand: their numbers in the block, in (document, position) order,
// back to documents and positions. A sort key holds such a number in place of both, so that it never passes 64 bits.
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
  // Pays a word for each document from the budget. BudgetError for more than 2^32 - 1 occurrences.
  OccurrencePlaces(const Block& block, const std::vector<std::uint32_t>& bases, MemoryBudget& budget);
  static std::size_t memory_bytes(std::size_t documents) { return documents * sizeof(std::uint32_t); }

  std::uint64_t count() const { return first_.back(); }
  std::uint64_t first_of_chunk(std::size_t chunk) const { return first_[chunk]; }

  // Finds occurrences that ascend: those of one term.
  class Ascending {
   public:
    explicit Ascending(const OccurrencePlaces& places) : places_(places) {}
    // The document of an occurrence, in the block's numbering.
    std::uint32_t document(std::uint64_t occurrence) {
      const auto begin = places_.ends_.begin() + document_;
      document_ += std::upper_bound(begin, places_.ends_.end(), static_cast<std::uint32_t>(occurrence)) - begin;
      return static_cast<std::uint32_t>(document_);
    }
    // The occurrence behind the last one of the document found last.
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
  std::vector<std::uint64_t> first_;  // occurrence of each chunk, and the count
  Buffer memory_;
  std::span<std::uint32_t> ends_;  // by document
};

}  // namespace spillway
