// The GPU sorters written here (not those of CUB), run step by step on the CPU: the same step logic in the kernels'
// order, so that the contract tests cover it without a GPU and under the sanitizers.
#pragma once

#include <vector>

#include "sort/interface/record_sorter.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Named as the sorters of sort/gpu/registry.hpp.
const std::vector<const RecordSorter*>& gpu_record_sorter_host_forms();
const std::vector<const StringSorter*>& gpu_string_sorter_host_forms();

}  // namespace spillway
