// Turns the words of a command line into an exit code: finds the command, parses its options, runs it, and reports
// errors on standard error.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

// Runs one of `commands`. `words` excludes the program's name. Returns the exit code; above kSignalExit the program
// must end by the signal. Never throws; flushes the output.
int run_command_line(const std::vector<std::string>& words, const std::vector<Command>& commands, Session& session);

// Whether the system refused a thread. oneTBB's threads are refused by an error of no type of its own.
bool is_lack_of_threads(const std::exception& error);

}  // namespace spillway
