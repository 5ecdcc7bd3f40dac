// The part of `bench modes` that --sweep runs.
#pragma once

#include <boost/program_options.hpp>

#include "tools/cli/command.hpp"

namespace spillway {

// --sweep and the options that it takes.
void add_sweep_options(boost::program_options::options_description& group);

// Measures the start of the GPU, too: nothing in the process may have used one before. Throws UsageError for an INPUT
// or an option that the sweep sets itself; otherwise as measure_modes().
ExitCode run_sweep(const Arguments& arguments, Session& session);

}  // namespace spillway
