// The report of a merge of indexes, or of the deletion of documents, as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "indexer/job/merge_job.hpp"
#include "tools/options/index_report.hpp"

namespace spillway {

// Several lines, safe for a terminal. `command`: "merge" or "delete".
std::string merge_summary(const std::string& command, const MergeOptions& options, const MergeReport& report);

nlohmann::ordered_json merge_report_json(const std::string& command, const MergeOptions& options,
                                         const MergeReport& report, const JobOutcome& outcome);

}  // namespace spillway
