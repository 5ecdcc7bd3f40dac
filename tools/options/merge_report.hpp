// The report of a merge of indexes, as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "indexer/job/merge_job.hpp"
#include "tools/options/index_report.hpp"

namespace spillway {

// Several lines, safe for a terminal.
std::string merge_summary(const MergeOptions& options, const MergeReport& report);

nlohmann::ordered_json merge_report_json(const MergeOptions& options, const MergeReport& report,
                                         const JobOutcome& outcome);

}  // namespace spillway
