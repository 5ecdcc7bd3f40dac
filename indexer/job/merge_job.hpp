// Merges indexes into one: the bytes that a single `index` job over all their inputs, in this order, would write. So
// the parts of an input that several processes indexed, or the days of a crawl, become one index.
#pragma once

#include <string>
#include <vector>

#include "indexer/options/index_report.hpp"
#include "indexer/options/job_context.hpp"
#include "indexer/options/merge_options.hpp"

namespace spillway {

struct MergeReport {
  std::uint64_t resumed_steps = 0;  // merges of a few inputs or runs that an interrupted job had done
  std::uint64_t input_bytes = 0, input_documents = 0;           // of the indexes; documents that they hold
  std::uint64_t documents = 0, duplicate_documents = 0;         // the latter: left out for their id,
  std::uint64_t repeated_documents = 0, dropped_documents = 0;  // ... for `dedup`, and named by the options
  std::uint64_t ids_to_drop = 0, unknown_ids = 0;               // URLs included
  std::vector<std::string> unknown_examples;
  std::vector<SkippedRecord> duplicate_examples;  // of both, by reason
  std::uint64_t terms = 0, postings = 0, occurrences = 0;
  std::uint64_t merge_passes = 0, spilled_bytes = 0, peak_temp_bytes = 0;
  std::uint64_t memory_bytes = 0, peak_resident_bytes = 0, index_bytes = 0;
  unsigned threads = 0;
  double seconds = 0;
  std::vector<StageStats> stages;
  std::string plan;  // decisions and their reasons, for -v
};

// Applies the indexes' own policy to duplicate ids across them. Documents that the options name leave no trace but
// their number (docs/formats.md, dropped). With `force` an input may be the output itself.
//
// Throws an Error that carries the command's exit code; then neither an index nor scratch files are left. UsageError:
// inputs of different content options (names option, values and paths), or the same input twice; FormatError: a corrupt
// input; BudgetError: too little memory or disk (names the need); InputError: duplicates under the policy
// `fail`, or a document to drop that is in no index, if that is refused.
void run_merge(const MergeOptions& options, const IndexContext& context, MergeReport& report);

}  // namespace spillway
