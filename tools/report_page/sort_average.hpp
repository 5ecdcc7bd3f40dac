// How sorters compare over all inputs of a benchmark.
#pragma once

#include "tools/report_page/sort_cases.hpp"

namespace spillway {

// For each set of sorters that were measured on the same inputs: the geometric mean of the time of each, divided by
// that of the fastest of them on the same input. Nothing of a single input or of a single sorter.
std::vector<PageItem> average_plots(const std::vector<SortCase>& all, const std::vector<std::string>& names_of_all);

}  // namespace spillway
