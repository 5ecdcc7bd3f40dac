// What an indexing job did, in words for people and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "indexer/options/index_report.hpp"
#include "io/base/error.hpp"

namespace spillway {

struct JobOutcome {
  ExitCode exit_code = ExitCode::kDone;
  std::string error;  // empty: none
};

// Several lines: documents, figures, stages, memory, what was skipped and where. Safe for a terminal.
std::string index_summary(const IndexOptions& options, const IndexReport& report);

// Only the part of it on skipped and repaired records: what is worth saying of a job that failed. May be empty.
std::string skipped_summary(const IndexReport& report);

nlohmann::ordered_json index_report_json(const IndexOptions& options, const IndexReport& report,
                                         const JobOutcome& outcome);

}  // namespace spillway
