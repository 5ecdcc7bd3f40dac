// The manual page, spillway(1), from the tables of all commands.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

// roff for man(1), dated by the sources. The same sources give the same text on every machine.
std::string manual_page(const std::vector<Command>& commands);

}  // namespace spillway
