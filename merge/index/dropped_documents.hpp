// Which documents of the source a merge leaves out (duplicate ids, deletes), and how the others are renumbered.
#pragma once

#include <cstdint>
#include <vector>

#include "io/memory/budget.hpp"

namespace spillway {

// A bitmap over the source's documents with a count for each word: 1.5 bits a document, whatever is dropped.
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
  std::uint32_t renumber(std::uint32_t document) const {
    if (count_ == 0) return document;
    const std::uint64_t word = bits_[document >> 6];
    const std::uint32_t number = document - dropped_before_[document >> 6];
    return word == 0 ? number : number - dropped_below(word, document & 63);
  }

 private:
  // Bits of the word below this one.
  static std::uint32_t dropped_below(std::uint64_t word, std::uint32_t bit);

  Reservation reservation_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> dropped_before_;  // each word
  std::uint64_t count_ = 0;
};

}  // namespace spillway
