// How a sorter of the library divides its memory: the plan of an out-of-core sort.
#pragma once

#include <cstddef>

#include "sort/library/sort.hpp"
#include "sort/lines/keys/order.hpp"
#include "sort/lines/resources.hpp"

namespace spillway {

struct ExternalSortPlan {
  std::size_t threads = 1;
  LineOrder order;
  LineSortOptions engine;
};

// Takes fewer threads where the memory does not serve all. Throws BudgetError naming what is needed, UsageError.
ExternalSortPlan plan_external_sort(const ExternalSortOptions& options);

}  // namespace spillway
