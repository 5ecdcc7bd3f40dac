// Completions for bash, zsh and fish, from the tables of all commands: commands, options, the names that an option or
// an operand may have, and names of files or directories for those that take one.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

std::string bash_completions(const std::vector<Command>& commands);
std::string zsh_completions(const std::vector<Command>& commands);
std::string fish_completions(const std::vector<Command>& commands);

}  // namespace spillway
