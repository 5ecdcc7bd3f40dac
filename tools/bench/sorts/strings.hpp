// `bench sort strings`: the sorters of strings on one set.
#pragma once

#include <memory>
#include <vector>

#include "tools/bench/sorts/string_input.hpp"
#include "tools/bench/sorts/timed_sort.hpp"

namespace spillway {

// As timed_record_sorts().
std::vector<std::unique_ptr<TimedSort>> timed_string_sorts(const std::vector<const StringSorter*>& sorters,
                                                           StringInput& input, const SortPlace& place,
                                                           MemoryBudget& budget);

}  // namespace spillway
