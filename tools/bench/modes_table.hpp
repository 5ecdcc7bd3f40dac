// The table that `bench modes` prints.
#pragma once

#include <string>

#include "tools/bench/modes.hpp"

namespace spillway {

std::string modes_table(const ModesStats& stats);

}  // namespace spillway
