// The GPU sorters of `bench sort`: on data in device memory, timed by events on their stream, and from host memory and
// back, timed by the host's clock.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tools/bench/sorts/record_input.hpp"
#include "tools/bench/sorts/string_input.hpp"
#include "tools/bench/sorts/timed_sort.hpp"

namespace spillway {

// One TimedSort per name, in order. They share one stream and one allocation on place.gpu, and must not outlive `input`
// and `budget`, which pays for pinned memory. Throws GpuError, GpuMemoryError.
std::vector<std::unique_ptr<TimedSort>> gpu_record_sorts(const std::vector<std::string_view>& names, RecordInput& input,
                                                         const SortPlace& place, MemoryBudget& budget);
std::vector<std::unique_ptr<TimedSort>> gpu_string_sorts(const std::vector<std::string_view>& names, StringInput& input,
                                                         const SortPlace& place, MemoryBudget& budget);

}  // namespace spillway
