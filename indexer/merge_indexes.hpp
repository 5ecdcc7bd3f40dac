// Joins indexes into one: what a single job over the inputs of all of them, in this order, would have written, byte for
// byte. Parts of one input that were indexed by several processes become one index this way.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/file_system.hpp"
#include "io/memory_budget.hpp"
#include "io/temp_space.hpp"
#include "sort/string_sorter.hpp"

namespace spillway {

struct IndexJoinOptions {
  unsigned threads = 1;
  std::function<void()> check_cancelled;                      // called often; throws to stop. May be empty
  std::function<void(std::uint64_t postings_done)> progress;  // may be empty
};

struct IndexJoinResult {
  std::uint64_t documents = 0, duplicate_documents = 0, postings = 0, occurrences = 0, bytes = 0;
};

// Creates output_directory, which must not exist; the caller makes that of a work directory and renames it. All content
// options must be equal, versions of ICU, the stemmer and zstd included (UsageError naming what differs and where).
// Duplicate ids across the indexes are dropped by the policy in those options. BudgetError names the memory that so
// many indexes need together.
IndexJoinResult merge_indexes(FileSystem& files, const std::vector<std::string>& directories,
                              const std::string& output_directory, MemoryBudget& budget, TempSpace& temp,
                              const IndexJoinOptions& options);

}  // namespace spillway
