#include "tools/commands/sort/gpu.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "sort/gpu/device/error.hpp"
#include "sort/gpu/registry.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

LineGpuPlan plan_sort_gpu(const SortOptions& options, const LineSortShape& shape) {
  return plan_line_gpu({options.uses_gpu, options.gpus, options.sorter, options.gpu_memory_bytes}, shape, {},
                       find_gpus);
}

std::optional<std::uint64_t> file_bytes(const std::vector<std::string>& inputs, FileSystem& files) {
  std::uint64_t bytes = 0;
  for (const std::string& path : inputs) {
    const auto status = path == "-" ? std::nullopt : files.status(path);
    // Files of /proc have no size, and hold text.
    if (!status || status->type != FileType::kRegular || status->size == 0) return std::nullopt;
    bytes += status->size;
  }
  return bytes;
}

std::string describe_sort_plan(const LineSortShape& shape, const LineGpuPlan& gpu, const std::string& sorter,
                               std::size_t lines_bytes) {
  constexpr double kMemoryOfText = 1.4;  // on the CPU, in lines of 50 bytes
  const bool is_on_cpu = gpu.sorting == LineSorting::kCpu;
  const double block = gpu.sorting == LineSorting::kDevice ? static_cast<double>(gpu.block_bytes)
                                                           : static_cast<double>(lines_bytes) / kMemoryOfText;
  const auto runs = static_cast<std::uint64_t>(std::ceil(static_cast<double>(shape.input_bytes) / block));
  std::string text = "memory: " + memory_text(shape.memory_bytes) + ", of which " + memory_text(lines_bytes) +
                     " are for lines on the CPU\nthreads: " + std::to_string(shape.threads) + "\ninput: ";
  text += shape.input_bytes == 0 ? "of unknown size" : bytes_text(shape.input_bytes);
  text += "\nruns: ";
  if (shape.input_bytes == 0) {
    text += "none if the input fits the memory";
  } else {
    text += runs < 2 ? "none (estimated)" : std::to_string(runs) + " (estimated), merged by the CPU";
  }
  text += "\nsorter: " + (is_on_cpu ? sorter : gpu.sorter) + "\ngpu: " + (is_on_cpu ? "none" : "");
  for (const LineGpuPlan::Device& device : gpu.devices) {
    text += (&device == gpu.devices.data() ? "" : ", ") + std::to_string(device.gpu);
  }
  return text + ": " + gpu.reason + "\n";
}

bool sort_in_gpu_memory(const LineGpuPlan& plan, LineInput& input, const LineOrder& order, LineSortOptions engine,
                        RepeatableOutput& output, const std::function<void(const std::string&)>& note) {
  engine.memory_bytes -= std::min(engine.memory_bytes, plan.host_bytes);
  try {
    std::vector<std::unique_ptr<LineDevice>> devices;
    for (const LineGpuPlan::Device& device : plan.devices) {
      devices.push_back(make_line_device({device.gpu, find_device_string_sorter(plan.sorter), plan.buffer_bytes,
                                          device.memory_bytes, device_line_order(order)}));
    }
    const LineSortSummary summary = sort_lines_on_gpu(input, order, engine, devices, output);
    if (engine.report) engine.report(summary);
    return true;
  } catch (const GpuError& error) {
    note(std::string("the GPU does not sort this, and the CPU does: ") + error.what());
  }
  output.repeat();
  return false;
}

}  // namespace spillway
