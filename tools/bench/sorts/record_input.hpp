// The input of `bench sort records`: one set of keys, and the check of what a sorter makes of it.
#pragma once

#include <cstdint>
#include <span>

#include "corpora/synthetic/key_set.hpp"
#include "io/memory/budget.hpp"
#include "sort/interface/record_sorter.hpp"

namespace spillway {

// The keys of a set, the same keys sorted, and room for a result. Takes all memory from the budget (BudgetError), as
// does the scratch of the reference sorter.
class RecordInput {
 public:
  RecordInput(const KeySetOptions& set, unsigned threads, MemoryBudget& budget);

  std::span<const std::uint64_t> keys() const { return view(keys_); }
  std::span<std::uint64_t> result() { return result_.as<std::uint64_t>(); }
  BitRange bits() const { return {0, bits_}; }
  // Whether `keys` equals the sorted input: checks order and permutation.
  bool is_sorted_form(std::span<const std::uint64_t> keys) const;

 private:
  static std::span<const std::uint64_t> view(const Buffer& buffer) {
    return {reinterpret_cast<const std::uint64_t*>(buffer.data()), buffer.size() / sizeof(std::uint64_t)};
  }
  unsigned bits_;
  Buffer keys_, expected_, result_;
};

// Copies keys on all threads of the current arena. Requires: equal sizes.
void copy_keys(std::span<const std::uint64_t> from, std::span<std::uint64_t> to);

// The sorter whose result the others are compared with.
const RecordSorter& reference_record_sorter();

}  // namespace spillway
