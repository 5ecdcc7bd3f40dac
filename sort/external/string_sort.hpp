// Sorts more strings than fit the budget, each with a number: sorted runs in scratch files, then merges by a loser
// tree. Used for the external ids of documents (duplicates, lookup by id).
//
// Time: that of the sorter for each run, then O(n log k) comparisons to merge k runs, in passes of at most 24 runs.
// Memory: `memory_bytes`. Disk: the front-coded strings, once; twice during a pass.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "io/memory/budget.hpp"
#include "io/scratch/temp_space.hpp"
#include "sort/external/string_run.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

// add() in ascending number order, or place(), then sort(), then read() any number of times. Not thread-safe; sorts in
// parallel inside the calling thread's TBB arena.
class ExternalStringSort {
 public:
  using Take = std::function<void(std::string_view text, std::uint32_t number)>;
  using CheckCancelled = std::function<void()>;

  // Reserves memory_bytes (at least 256 KiB) from `budget` at once. Writes no files if everything fits them.
  ExternalStringSort(MemoryBudget& budget, TempSpace& temp, const StringSorter& sorter, std::size_t memory_bytes);

  // Throws UsageError for a string of more than 65535 bytes, BudgetError if it does not fit alone.
  void add(std::string_view text, std::uint32_t number);
  // Instead of add(): returns places for `count` strings, or none if they cannot be sorted in memory. Any threads fill
  // the places, in ascending number order, with the number as payload. The texts outlive the sort; places without data
  // are left out.
  std::span<StringRef> place(std::size_t count);
  // Memory that is not used between place() and sort(); at least the scratch of the sorter. Requires: place() returned
  // places.
  std::span<std::uint8_t> spare();
  void sort();
  // Calls `take` for every string in byte order, equal strings in number order. The view lives for the call.
  void read(const Take& take);
  // The same for the strings that occur more than once; searches for them in parallel if all are in memory. Calls
  // `check_cancelled`, unless it is empty, often; it throws to stop.
  void read_repeated(const Take& take, const CheckCancelled& check_cancelled = {});
  std::uint64_t spilled_bytes() const { return spilled_bytes_; }

 private:
  struct Run {
    std::unique_ptr<TempFile> file;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  std::size_t source_bytes() const { return (block_bytes_ + longest_bytes_ + 63) / 64 * 64; }
  std::uint8_t* references_end();
  StringRef* references() { return reinterpret_cast<StringRef*>(references_end()) - count_; }
  const StringRef& at(std::size_t i) const { return strings_[order_[i]]; }  // the i-th smallest, once sorted
  bool fits(std::size_t bytes) const;
  void sort_in_memory();
  void spill();
  Run write_run(std::uint8_t* memory, const std::function<void(StringRunWriter&)>& fill);
  void merge_runs();
  Run merge_group(std::span<Run> group);
  void stream(std::span<Run> group, const Take& take);
  void stream_repeated(const Take& take, const CheckCancelled& check_cancelled);
  [[gnu::always_inline]] void prefetch(std::size_t i) const;  // else GCC drops its calls
  std::span<const std::uint64_t> mark_repeated(std::size_t begin, std::size_t end);
  void take_repeated(const Take& take, const CheckCancelled& check_cancelled);

  TempSpace& temp_;
  const StringSorter& sorter_;
  // The memory of the sort. While strings are added, it holds
  //   [ texts, growing up | free: order and scratch of the sort | references, growing down | block, text of a writer ]
  // and while runs are merged, the blocks and texts of the sources and of a writer.
  Buffer buffer_;
  std::size_t block_bytes_;
  std::size_t longest_bytes_ = 0;  // of all strings so far, spilled ones too
  std::size_t text_bytes_ = 0, count_ = 0;
  std::vector<Run> runs_;
  std::span<StringRef> strings_;          // in memory, once placed or sorted
  std::span<const std::uint32_t> order_;  // of strings_, once sorted
  std::uint64_t spilled_bytes_ = 0;
  bool is_placed_ = false, is_sorted_ = false;
};

}  // namespace spillway
