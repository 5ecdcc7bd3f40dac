// Which documents of the source a merge leaves out (duplicate ids, deletes), and how the others are renumbered.
#pragma once

#include <cstdint>
#include <vector>

#include "io/memory_budget.hpp"

namespace spillway {

// A bitmap over the source's documents with counts per 512 bits: 1 bit and a sixteenth a document, whatever is dropped.
class DroppedDocuments {
 public:
  DroppedDocuments() = default;  // none
  DroppedDocuments(MemoryBudget& budget, std::uint64_t document_count);

  void drop(std::uint32_t document);
  // After the last drop(), before the first renumber().
  void seal();

  bool none() const { return count_ == 0; }
  std::uint64_t count() const { return count_; }
  bool contains(std::uint32_t document) const {
    return !bits_.empty() && (bits_[document >> 6] >> (document & 63) & 1) != 0;
  }
  // The number of a kept document once all dropped ones are gone.
  std::uint32_t renumber(std::uint32_t document) const;

 private:
  Reservation reservation_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> dropped_before_;  // each 512 bits
  std::uint64_t count_ = 0;
};

}  // namespace spillway
