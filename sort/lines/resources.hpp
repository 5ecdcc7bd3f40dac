// The memory, scratch space and descriptors of a sort or a merge of lines, and how they are divided.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sort/interface/string_sorter.hpp"
#include "sort/lines/head/threshold.hpp"
#include "sort/lines/keys/long_lines.hpp"
#include "sort/lines/runs/merge.hpp"

namespace spillway {

// What a sort or a merge has done so far.
struct LineSortSummary {
  const char* stage = "read";          // read, merge or write
  std::uint64_t bytes = 0, lines = 0;  // read
  std::uint64_t runs = 0, spilled_bytes = 0;
  std::uint64_t resumed_bytes = 0;  // of `bytes`: those in runs that an earlier process made
  // Wall time. split: lines are found, and their parts; write: they are sorted as well.
  struct Seconds {
    double read = 0, split = 0, spill = 0, merge = 0, write = 0;
  } seconds = {};
};

struct LineSortOptions {
  std::size_t memory_bytes = 0;               // of the whole process
  std::vector<std::string> temp_directories;  // at least one
  std::uint64_t temp_limit_bytes = 0;         // 0: none
  std::size_t most_runs = 0;                  // that are merged at once; 0: as many as fit
  std::size_t block_bytes = 0;                // memory of a block; 0: what memory_bytes leaves
  const StringSorter* sorter = nullptr;       // null: what is fastest here
  bool maps_inputs = false;  // and reads a sorted one twice if need be; not if the output overwrites one in place
  bool reads_ahead = false;  // out of core, while blocks become runs; not with `head` or `keeper`
  // Called between blocks of runs and in merges, there by several threads at once; throws to stop.
  std::function<void()> check = {};
  std::function<void(const LineSortSummary&)> report = {};  // called after each step, by one thread at a time
  // If set, lines after those that are wanted may be left out; the output tells when it is full.
  std::optional<LineHead> head = {};
  // If set, runs are kept there, and the sort goes on after what it has done. Not with a merge of inputs.
  RunKeeper* keeper = nullptr;
  // If set, a line that does not fit memory_bytes gets what it needs; called once, with the new size, before.
  std::function<void(std::size_t)> warn_of_growth = {};
  LineCopies output = {};  // of lines, that the output keeps
  // The least --memory whose sort has so many bytes for lines; for messages.
  std::function<std::size_t(std::size_t)> memory_for_lines = {};
};

// Raises budgets below this silently: the program itself needs 20 MiB.
inline constexpr std::size_t kLeastSortMemory = std::size_t{32} << 20;

// Bytes that are not for lines in a sort of `memory_bytes`: the program, text on its way out, and the contexts of the
// compressor for each thread of the calling thread's TBB arena.
std::size_t unsorted_memory(std::size_t memory_bytes);
std::size_t unsorted_memory(std::size_t threads, std::size_t memory_bytes);
// The same for a thread that reads lines, and sorts none.
std::size_t unsorted_memory_of_reader();
// Throws BudgetError, naming the memory that suffices, and the place of the line if `longest`, the longest line of the
// inputs, is that one.
[[noreturn]] void refuse_long_line(const LineTooLongError& error, const std::optional<LinePlace>& longest,
                                   const LineSortOptions& options);
// For the merge of the runs.
MergeResources merge_resources(const LineSortOptions& options);

}  // namespace spillway
