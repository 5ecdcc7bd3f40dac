// Completions for the shells, from the tables of all commands: commands, options, and files where a file is due.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

std::string bash_completions(const std::vector<Command>& commands);
std::string zsh_completions(const std::vector<Command>& commands);
std::string fish_completions(const std::vector<Command>& commands);

}  // namespace spillway
