// The table that `bench modes` prints.
#pragma once

#include <string>

#include "tools/bench/modes/measure.hpp"

namespace spillway {

std::string modes_table(const ModesStats& stats);

}  // namespace spillway
