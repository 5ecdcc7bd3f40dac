// The work of `spillway export`, for the program and for the Python package.
#pragma once

#include <cstddef>

#include "tools/cli/command.hpp"

namespace spillway {

// `program_bytes` is what the job charges to its budget for the program: program_bytes(), or kLibraryProgramBytes in a
// process that does other things too (io/memory/program_bytes.hpp).
ExitCode run_export(const Arguments& arguments, Session& session, std::size_t program_bytes);

}  // namespace spillway
