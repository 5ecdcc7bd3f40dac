// Rates over the number of threads, of benchmarks that ran each sorter with several.
#pragma once

#include <vector>

#include "tools/page/model.hpp"
#include "tools/report_page/json_view.hpp"

namespace spillway {

// A plot for each set of strings of a run of `bench paper` whose sorters have names such as "cpu-msd, 4 threads", with
// a line for each sorter and number of strings. Nothing where no sorter ran with two numbers of threads. Throws
// FormatError where a case lacks its members.
std::vector<LinePlot> thread_plots(const JsonView& run);

}  // namespace spillway
