// The GPU's part in `spillway sort`.
#pragma once

#include <functional>
#include <string>

#include "sort/lines/block/input.hpp"
#include "sort/lines/gpu/plan.hpp"
#include "sort/lines/gpu/sorter.hpp"
#include "tools/commands/sort/options/options.hpp"

namespace spillway {

// What --gpu and --sorter ask for, and what there is to sort. `has_plain_input`: inputs are not packed, and not written
// to while they are read. Throws UsageError as plan_line_gpu() does.
LineGpuPlan plan_sort_gpu(const SortOptions& options, const LineSortShape& shape);
// The sum of the sizes of all inputs if all are files; nothing otherwise.
std::optional<std::uint64_t> file_bytes(const std::vector<std::string>& inputs, FileSystem& files);

// For `plan --sort`. `lines_bytes`: memory for lines on the CPU.
std::string describe_sort_plan(const LineSortShape& shape, const LineGpuPlan& gpu, const std::string& sorter,
                               std::size_t lines_bytes);

// Sorts as `plan` tells, in the GPU's memory. Returns false, after note(message), if the GPU failed: then the input is
// read anew, and `output` repeats.
bool sort_in_gpu_memory(const LineGpuPlan& plan, LineInput& input, const LineOrder& order, LineSortOptions engine,
                        RepeatableOutput& output, const std::function<void(const std::string&)>& note);

}  // namespace spillway
