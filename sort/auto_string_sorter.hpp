// The string sorter that looks at each set before it chooses (`--string-sorter auto`).
#pragma once

#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Chooses by choose_string_sorter (sort/sort_plan.hpp) among string_sorters(), a set at a time.
const StringSorter& auto_string_sorter();

}  // namespace spillway
