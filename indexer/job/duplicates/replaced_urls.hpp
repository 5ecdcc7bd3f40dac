// Decides which documents of an index make way for appended ones with the same URL.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "io/memory/budget.hpp"

namespace spillway {

class ReplacedUrls {
 public:
  // `drop` hears of each document to drop. Documents below `known_count` are those of the index.
  ReplacedUrls(MemoryBudget& budget, std::uint64_t known_count, std::function<void(std::uint32_t)> drop)
      : budget_(budget), known_count_(known_count), drop_(std::move(drop)) {}

  // Takes documents whose URL `first` has, too; those of a URL one after the other, in order of number
  // (find_repeated_urls). Keeps the numbers of the documents of the index that have one URL: BudgetError.
  void take(std::uint32_t first, std::uint32_t number);

 private:
  void add(std::uint32_t number);
  MemoryBudget& budget_;
  const std::uint64_t known_count_;
  const std::function<void(std::uint32_t)> drop_;
  Reservation memory_;
  std::vector<std::uint32_t> known_;  // of the index, with one URL; none once they are dropped
  std::uint32_t first_ = 0;
  bool any_ = false;
};

}  // namespace spillway
