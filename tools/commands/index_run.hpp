// What `index` and `append` share: a job that reads documents, with its messages, its reports and its ledger.
#pragma once

#include <functional>
#include <string>

#include "indexer/options/index_options.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

// The options of the job, from those of the command.
using ReadIndexOptions =
    std::function<IndexOptions(const Arguments&, FileSystem&, const std::function<void()>& wait_check)>;

// Runs the job. `command` names it in messages. Throws what ends the job, after its reports are written.
ExitCode run_index_job(const std::string& command, const Arguments& arguments, Session& session,
                       const ReadIndexOptions& read_options);

}  // namespace spillway
