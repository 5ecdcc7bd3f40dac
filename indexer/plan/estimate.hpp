// What a job will probably make of its input: blocks, runs, merge passes, disk. From sizes alone, so only roughly: text
// differs. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "indexer/plan/memory.hpp"
#include "merge/merge_plan.hpp"

namespace spillway {

struct JobEstimate {
  bool is_known = true;           // false: a stream, whose size nobody knows
  bool has_packed_input = false;  // compressed files are taken for kUnpackFactor times their size
  std::uint64_t stored_bytes = 0, text_bytes = 0;
  std::uint64_t blocks = 0, joins = 0, runs_spilled = 0, spilled_bytes = 0, index_bytes = 0;
  // Below these the job fails for certain: a tenth of what the most frugal corpus measured takes.
  std::uint64_t least_index_bytes = 0, least_spilled_bytes = 0;
  MergePlan merge;
  std::string merge_refusal;  // why the merge would be refused if the estimate were exact; empty: it would not

  std::string describe() const;
};

inline constexpr std::uint64_t kUnpackFactor = 4;

// Of the input, unpacked as an estimate; 0 where a stream is among it.
std::uint64_t expected_text_bytes(const CorpusPlan& corpus);

// Throws BudgetError where runs are certain to be spilled and `run_files` open files are too few to merge them; warns
// where they may be.
void check_run_files(const JobEstimate& estimate, std::size_t run_files,
                     const std::function<void(const std::string&)>& warn);

JobEstimate estimate_job(const CorpusPlan& corpus, const IndexPlan& plan, const ContentOptions& content,
                         std::size_t memory_bytes, unsigned threads);

}  // namespace spillway
