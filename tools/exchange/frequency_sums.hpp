// A sum of frequencies for each document of a file that is imported. Its pages come from the budget as documents are
// met, because the number of documents that a foreign file states may be any.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "io/memory/budget.hpp"

namespace spillway {

class FrequencySums {
 public:
  // No document can be as long: a sum that reaches this is larger, too.
  static constexpr std::uint32_t kTooLarge = std::numeric_limits<std::uint32_t>::max();

  // The budget outlives this.
  explicit FrequencySums(MemoryBudget& budget) : budget_(budget) {}

  // Requires: document < 2^31. Throws BudgetError if a page does not fit.
  void add(std::uint32_t document, std::uint32_t frequency) {
    const std::size_t page = document / kPageDocuments;
    if (page >= pages_.size() || pages_[page].size() == 0) add_page(page);
    std::uint32_t& sum = reinterpret_cast<std::uint32_t*>(pages_[page].data())[document % kPageDocuments];
    sum = frequency < kTooLarge - sum ? sum + frequency : kTooLarge;
  }
  std::uint32_t of(std::uint32_t document) const {
    const std::size_t page = document / kPageDocuments;
    if (page >= pages_.size() || pages_[page].size() == 0) return 0;
    return reinterpret_cast<const std::uint32_t*>(pages_[page].data())[document % kPageDocuments];
  }

 private:
  static constexpr std::uint32_t kPageDocuments = 1U << 16;
  void add_page(std::size_t page);

  MemoryBudget& budget_;
  std::vector<Buffer> pages_;  // empty where no document was met
};

}  // namespace spillway
