// The documents of the source that a merge leaves out (duplicate ids, deletes), and the new numbers of the others.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "io/memory/budget.hpp"

namespace spillway {

// A bitmap over the source's documents with a count for each word of 64: 1.5 bits a document, however many are dropped.
// Every query is O(1).
class DroppedDocuments {
 public:
  DroppedDocuments() = default;  // none
  DroppedDocuments(MemoryBudget& budget, std::uint64_t document_count);

  void drop(std::uint32_t document);
  // Counts the dropped documents. Call it after the last drop() and before the first renumber(). O(documents / 64).
  void seal();

  bool none() const { return count_ == 0; }
  std::uint64_t count() const { return count_; }
  bool contains(std::uint32_t document) const {
    return !bits_.empty() && (bits_[document >> 6] >> (document & 63) & 1) != 0;
  }
  // The bitmap, and the number of dropped documents before each word of it. Both empty where none can be dropped.
  std::span<const std::uint64_t> bits() const { return bits_; }
  std::span<const std::uint32_t> dropped_before() const { return dropped_before_; }
  // Returns the number of a kept document in the index, where the dropped ones are left out.
  std::uint32_t renumber(std::uint32_t document) const {
    if (count_ == 0) return document;
    const std::uint64_t word = bits_[document >> 6];
    const std::uint32_t number = document - dropped_before_[document >> 6];
    const std::uint64_t below = word & ((std::uint64_t{1} << (document & 63)) - 1);
    return word == 0 ? number : number - static_cast<std::uint32_t>(std::popcount(below));
  }

 private:
  Reservation reservation_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> dropped_before_;  // dropped documents before each word
  std::uint64_t count_ = 0;
};

}  // namespace spillway
