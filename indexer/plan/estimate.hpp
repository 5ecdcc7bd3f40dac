// An estimate of a job's blocks, runs, merge passes and disk space, from the sizes of its input alone: texts differ, so
// it may be off by a factor of 2. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "indexer/plan/memory.hpp"
#include "merge/merge_plan.hpp"

namespace spillway {

struct JobEstimate {
  bool is_known = true;           // false: the input has a stream, whose size is unknown
  bool has_packed_input = false;  // compressed files count as kUnpackFactor times their size
  std::uint64_t stored_bytes = 0, text_bytes = 0;
  std::uint64_t blocks = 0, compactions = 0, runs_spilled = 0, spilled_bytes = 0, index_bytes = 0;
  // With less disk the job certainly fails: a tenth of what the most frugal corpus took when measured.
  std::uint64_t least_index_bytes = 0, least_spilled_bytes = 0;
  MergePlan merge;
  std::string merge_refusal;  // reason for which the merge would be refused if the estimate were exact; empty: none

  std::string describe() const;
};

inline constexpr std::uint64_t kUnpackFactor = 4;

// Returns the estimated bytes of the unpacked input; 0 if it contains a stream.
std::uint64_t expected_text_bytes(const CorpusPlan& corpus);

// Throws BudgetError if runs will certainly be spilled and `run_files` open files are too few to merge them; warns if
// runs may be spilled.
void check_run_files(const JobEstimate& estimate, std::size_t run_files,
                     const std::function<void(const std::string&)>& warn);

JobEstimate estimate_job(const CorpusPlan& corpus, const IndexPlan& plan, const ContentOptions& content,
                         std::size_t memory_bytes, unsigned threads);

}  // namespace spillway
