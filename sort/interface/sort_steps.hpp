// Times of the steps of a sort, which the benchmarks of the papers compare. Sorters measure them only when asked to.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace spillway {

struct SortStep {
  std::string_view name;
  double wall_seconds = 0;  // from the step's begin to its end
  double work_seconds = 0;  // summed over threads; 0: not measured, as on a GPU
  std::uint64_t ties = 0;   // comparisons that read strings, by sorters that count them
};

struct SortSteps {
  std::vector<SortStep> steps;  // empty: the sorter has no clock
  unsigned rounds = 0;          // of a sort in rounds; 0 for others
};

}  // namespace spillway
