// Completions for bash, zsh and fish, from the tables of all commands: commands, options, and file names for options
// that take one.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

std::string bash_completions(const std::vector<Command>& commands);
std::string zsh_completions(const std::vector<Command>& commands);
std::string fish_completions(const std::vector<Command>& commands);

}  // namespace spillway
