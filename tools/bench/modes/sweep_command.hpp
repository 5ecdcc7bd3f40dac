// The part of `bench modes` that --sweep runs.
#pragma once

#include <boost/program_options.hpp>

#include "sort/gpu/device/status.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

// --sweep and the options that it takes.
void add_sweep_options(boost::program_options::options_description& group);

// Throws UsageError for an INPUT or an option that the sweep sets itself; otherwise as measure_modes().
ExitCode run_sweep(const Arguments& arguments, Session& session, const GpuStatus& gpus);

}  // namespace spillway
