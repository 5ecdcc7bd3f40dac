// What `merge` and `delete` share: a job that reads indexes, with its messages and its report.
#pragma once

#include <string>

#include "indexer/options/merge_options.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

// Runs the job. `command` names it in messages and in the report. Throws what ends the job, after its report is
// written.
ExitCode run_merge_job(const std::string& command, const Arguments& arguments, Session& session,
                       const MergeOptions& options);

}  // namespace spillway
