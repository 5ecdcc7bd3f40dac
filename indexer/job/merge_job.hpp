// A job that merges indexes into one: what a single `index` job over the inputs of all of them, in this order, would
// have written, byte for byte. So parts of one input that several processes indexed, or the days of a crawl, become one
// index.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "indexer/options/index_report.hpp"
#include "indexer/options/job_context.hpp"

namespace spillway {

struct MergeOptions {
  std::vector<std::string> inputs;  // index directories, in document order
  std::string output;
  std::optional<std::string> drop;            // a file of ids to leave out, one a line; "-": standard input
  std::uint64_t memory_bytes = 0;             // 0: half of what is available
  unsigned threads = 0;                       // 0: as many as this process may run on
  std::vector<std::string> temp_directories;  // empty: beside the output
  std::uint64_t temp_limit_bytes = 0;         // 0: none
  std::size_t max_fan_in = 0;                 // 0: from memory alone
  bool force = false;
};

struct MergeReport {
  std::uint64_t input_bytes = 0, input_documents = 0;  // of the indexes; documents that they hold
  std::uint64_t documents = 0, duplicate_documents = 0, dropped_documents = 0;  // the last: named by `drop`
  std::uint64_t ids_to_drop = 0, unknown_ids = 0;
  std::vector<std::string> unknown_examples;
  std::vector<SkippedRecord> duplicate_examples;
  std::uint64_t terms = 0, postings = 0, occurrences = 0;
  std::uint64_t merge_passes = 0, spilled_bytes = 0, peak_temp_bytes = 0;
  std::uint64_t memory_bytes = 0, peak_resident_bytes = 0, index_bytes = 0;
  unsigned threads = 0;
  double seconds = 0;
  std::vector<StageStats> stages;
  std::string plan;  // what was decided and why, for -v
};

// Duplicate ids across the indexes are treated by the policy that they were made with. Documents that `drop` names
// leave as if they had never been there, but that the index remembers how many it had (docs/formats.md, dropped). An
// input may be the output itself under `force`.
//
// Throws Error with the exit code of the command; then neither index nor scratch files are left. UsageError: inputs of
// different content options (naming option, values and paths), the same input twice; FormatError: a corrupt input;
// BudgetError: the memory or disk needed; InputError: duplicates with the policy `fail`.
void run_merge(const MergeOptions& options, const IndexContext& context, MergeReport& report);

}  // namespace spillway
