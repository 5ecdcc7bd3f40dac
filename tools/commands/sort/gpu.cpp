#include "tools/commands/sort/gpu.hpp"

#include <cmath>
#include <memory>

#include "sort/gpu/device/error.hpp"
#include "sort/gpu/registry.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

LineGpuPlan plan_sort_gpu(const SortOptions& options, const LineSortShape& shape) {
  return plan_line_gpu({options.uses_gpu, options.gpu, options.sorter}, shape, {}, find_gpus);
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
  // Of lines of 50 bytes: 16 bytes each on the CPU, and about 60 on a GPU, which takes four fifths of its memory.
  constexpr double kCpuMemory = 1.4, kGpuMemory = 2.2, kGpuPart = 0.8;
  const bool is_on_device = gpu.sorting == LineSorting::kDevice;
  const double block = is_on_device ? static_cast<double>(gpu.device_bytes) * kGpuPart / kGpuMemory
                                    : static_cast<double>(lines_bytes) / kCpuMemory;
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
  text += "\nsorter: " + (gpu.sorting == LineSorting::kCpu ? sorter : gpu.sorter) + "\ngpu: ";
  text += gpu.sorting == LineSorting::kCpu ? "none" : std::to_string(gpu.gpu);
  return text + ": " + gpu.reason + "\n";
}

bool sort_in_gpu_memory(const LineGpuPlan& plan, LineInput& input, const LineOrder& order, LineSortOptions engine,
                        RepeatableOutput& output, const std::function<void(const std::string&)>& note) {
  engine.memory_bytes -= plan.host_bytes;
  try {
    const std::unique_ptr<LineDevice> device = make_line_device(
        {plan.gpu, find_device_string_sorter(plan.sorter), plan.buffer_bytes, 0, device_line_order(order)});
    sort_lines_on_gpu(input, order, engine, *device, output);
    return true;
  } catch (const GpuError& error) {
    note(std::string("the GPU does not sort this, and the CPU does: ") + error.what());
  }
  output.repeat();
  return false;
}

}  // namespace spillway
