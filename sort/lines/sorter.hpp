// Sorts the lines of any inputs within a memory budget: in memory if they fit, otherwise by sorted runs in scratch
// files and a merge.
#pragma once

#include "sort/lines/block/input.hpp"
#include "sort/lines/block/output.hpp"
#include "sort/lines/keys/order.hpp"
#include "sort/lines/resources.hpp"

namespace spillway {

// Parallel inside the calling thread's TBB arena. Throws BudgetError for a line that does not fit, or what input,
// output and scratch files throw. If only the first lines are wanted, most of the others are compared with the last one
// of them, and not sorted.
LineSortSummary sort_lines(LineInput& input, const LineOrder& order, const LineSortOptions& options,
                           LineOutput& output);

}  // namespace spillway
