// The input of `bench sort strings`: one set of strings, and the check of what a sorter makes of it.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "corpora/synthetic/string_set.hpp"
#include "io/memory/budget.hpp"
#include "sort/interface/string_sorter.hpp"
#include "sort/string_set_stats.hpp"

namespace spillway {

// The strings of a set, their order, and room for a result. Takes all memory from the budget (BudgetError).
class StringInput {
 public:
  StringInput(const StringSet& set, std::uint64_t count, unsigned threads, MemoryBudget& budget);

  std::span<const StringRef> strings() const;
  // The same strings concatenated: string i is bytes [offsets[i], offsets[i + 1]).
  std::span<const std::uint8_t> bytes() const { return bytes_.span(); }
  std::span<const std::uint64_t> offsets() const;
  std::span<std::uint32_t> result() { return result_.as<std::uint32_t>(); }
  const StringSetStats& stats() const { return stats_; }
  std::span<const std::uint32_t> sorted_order() const;
  // Whether `order` is the stable order: checks order and permutation.
  bool is_order(std::span<const std::uint32_t> order) const;

 private:
  void find_order(MemoryBudget& budget);

  Reservation making_;  // held while the strings are made
  Buffer bytes_, offsets_, strings_, expected_, result_;
  StringSetStats stats_;
};

nlohmann::ordered_json string_set_json(const StringSetStats& stats);
// "10,000,000 strings, 311 MB, ..." for people.
std::string string_set_text(const StringSetStats& stats);

}  // namespace spillway
