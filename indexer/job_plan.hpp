// All that a job decides before it reads its input: files, memory, threads, sorters, blocks, and what it expects of
// runs, merges and disk. `index` works by it; `plan` shows it.
#pragma once

#include <memory>
#include <string>

#include "indexer/block_sorter.hpp"
#include "indexer/index_plan.hpp"
#include "indexer/job_estimate.hpp"
#include "sort/sort_plan.hpp"

namespace spillway {

// A number and what decided it.
struct Decision {
  std::uint64_t value = 0;
  std::string reason;
};

// `asked` 0: half of what is available.
Decision choose_memory(std::uint64_t asked);
// `asked` 0: as many as this process may run on.
Decision choose_threads(unsigned asked);

struct JobPlan {
  CorpusPlan corpus;
  Decision memory, threads;
  SorterChoice record_sorter, string_sorter;
  std::unique_ptr<BlockSorter> sorter;
  const StringSorter* strings = nullptr;
  IndexPlan index;
  JobEstimate estimate;

  // Several lines, one a decision, with its reason.
  std::string describe() const;
};

// Looks at the input's files (not at their records) and decides. `corpus` options as run_index takes them. Throws
// UsageError, IoError, BudgetError as run_index does.
JobPlan plan_job(const IndexOptions& options, const ContentOptions& content, FileSystem& files);

}  // namespace spillway
