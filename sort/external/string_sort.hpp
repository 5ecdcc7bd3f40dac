// Sorts more strings than fit the budget, each with a number: sorted runs in scratch files, then merges by a tournament
// tree. Used for the external ids of documents (duplicates, lookup by id).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "io/file/temp_space.hpp"
#include "io/memory/budget.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

// add() in ascending number order, or place(), then sort(), then read() as often as wanted. Not thread-safe; sorts in
// parallel inside the calling thread's TBB arena.
class ExternalStringSort {
 public:
  // memory_bytes: what it may use (reserved from `budget` at once; at least 256 KiB). Stays in memory when all fits.
  ExternalStringSort(MemoryBudget& budget, TempSpace& temp, const StringSorter& sorter, std::size_t memory_bytes);
  ~ExternalStringSort();

  // At most 65535 bytes a string.
  void add(std::string_view text, std::uint32_t number);
  // In place of add(), where `count` strings can be sorted in memory (else empty): room for them, to be filled by any
  // threads in ascending number order, the number as payload. Texts outlive the sort; what has no data is left out.
  std::span<StringRef> place(std::size_t count);
  void sort();
  // Calls `take` for every (text, number) in order of text bytes, equal texts in number order. The view lives for the
  // call.
  void read(const std::function<void(std::string_view text, std::uint32_t number)>& take) const;
  // The same for the texts that are there more than once. In memory they are looked for in parallel.
  // `check_cancelled`, unless empty, is called often, whatever there is, and throws to stop.
  void read_repeated(const std::function<void(std::string_view text, std::uint32_t number)>& take,
                     const std::function<void()>& check_cancelled = {}) const;
  std::uint64_t spilled_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
