// The report of an indexing job, as text for people and as JSON for programs.
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

// Several lines: documents, sizes, stages, memory, skipped records with their places. Safe for a terminal.
std::string index_summary(const IndexOptions& options, const IndexReport& report);

// Only the lines on skipped and repaired records, for a job that failed. May be empty.
std::string skipped_summary(const IndexReport& report);

nlohmann::ordered_json index_report_json(const IndexOptions& options, const IndexReport& report,
                                         const JobOutcome& outcome);

}  // namespace spillway
