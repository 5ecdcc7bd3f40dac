// `sort --resumable`: what it refuses, and what a sort that goes on must have in common with the interrupted one.
#pragma once

#include <memory>
#include <optional>

#include "sort/lines/resume/kept_runs.hpp"
#include "tools/cli/command.hpp"
#include "tools/commands/sort/options/options.hpp"
#include "tools/commands/sort/output/file_output.hpp"
#include "tools/commands/sort/packed_inputs.hpp"

namespace spillway {

// Throws SortError if the options do not go with --resumable or --restart.
void refuse_with_resumable(const SortOptions& options);

// The work directory FILE.work beside the output FILE; null without --resumable. Throws UsageError, or SortError, for
// inputs and outputs with which a sort could not go on, and as KeptRuns does. Files and session outlive it.
std::unique_ptr<KeptRuns> keep_runs(const SortOptions& options, const std::optional<PackedInputs>& packed,
                                    const SortOutput& output, Session& session);

}  // namespace spillway
