// Makes an index of a CIFF file: the file becomes a run, and the run an index, as in any job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "indexer/options/job_context.hpp"
#include "io/format/content_options.hpp"
#include "tools/exchange/ciff_reader.hpp"

namespace spillway {

struct ImportOptions {
  std::string input;  // "-": standard input
  std::string output;
  ContentOptions content;                     // how queries are analysed; the job fills in the versions of libraries
  std::uint64_t memory_bytes = 0;             // 0: half of what is available
  unsigned threads = 0;                       // 0: the processors that this process may run on
  std::vector<std::string> temp_directories;  // empty: beside the output
  std::uint64_t temp_limit_bytes = 0;         // 0: no limit
  bool force = false;
  CiffLengths lengths = CiffLengths::kStated;
  double max_error_rate = 0.01;  // of documents that repeat an id
  bool strict = false;           // no document may
};

struct ImportReport {
  std::string description;       // of the file, as it is there
  std::uint64_t records_in = 0;  // documents of the file: those of the index and those that repeat an id
  std::uint64_t documents = 0, duplicate_documents = 0, terms = 0, postings = 0, occurrences = 0;
  std::uint64_t memory_bytes = 0, peak_resident_bytes = 0, index_bytes = 0, spilled_bytes = 0;
  unsigned threads = 0;
  double seconds = 0;
};

// All or nothing: terms, postings, lengths and ids are those of the file, except for documents that repeat an id, to
// which the content options' policy applies.
//
// Throws an Error that carries the command's exit code; then neither an index nor scratch files are left. UsageError:
// an output that may not be replaced; FormatError: a file that is damaged or no whole CIFF (read_ciff); BudgetError:
// too little memory or disk; InputError: duplicate ids under the policy `fail`, or more than
// are allowed.
void run_import(const ImportOptions& options, const IndexContext& context, ImportReport& report);

}  // namespace spillway
