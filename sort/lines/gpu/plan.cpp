#include "sort/lines/gpu/plan.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "io/base/error.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/sorters.hpp"

namespace spillway {

namespace {

constexpr std::size_t kCudaBytes = std::size_t{256} << 20;  // of host memory, that CUDA takes
constexpr std::size_t kLeastBuffer = std::size_t{1} << 20, kMostBuffer = std::size_t{64} << 20;
// The parts of the memory of the host, and of a device, for each buffer. A device keeps room for a buffer of empty
// lines.
constexpr std::size_t kBufferPart = 32, kDevicePart = 256;
constexpr std::size_t kLeastMemory = std::size_t{512} << 20;
// Of a GPU's memory, the part that is used, and how much each byte of text takes, in lines of 50 bytes.
constexpr double kUsedPart = 0.8, kMemoryOfText = 2.2;
constexpr double kHostMemoryOfText = 1.5;
constexpr const char* kDefaultSorter = "gpu-string-radix";

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

bool is_device_sorter(const std::string& name) {
  const auto& names = gpu_string_sorter_names();
  return std::ranges::find(names, name) != names.end();
}

// The GPUs that were asked for, or all; none if one of them cannot be used.
std::vector<GpuInfo> find_gpus_of(const GpuStatus& status, const std::vector<int>& wanted) {
  std::vector<GpuInfo> found;
  if (status.state != GpuState::kUsable) return found;
  for (const GpuInfo& gpu : status.gpus) {
    const bool is_wanted = wanted.empty() || std::ranges::find(wanted, gpu.id) != wanted.end();
    if (is_wanted && gpu.is_usable()) found.push_back(gpu);
  }
  if (found.size() < wanted.size()) found.clear();
  return found;
}

// Text that does not fit the first GPU goes to all of them, or to two halves of the only one, block by block. Returns
// the memory of the smallest device.
std::size_t choose_devices(LineGpuPlan& plan, const std::vector<GpuInfo>& gpus, std::size_t memory_bytes,
                           std::uint64_t input_bytes) {
  const auto usable_bytes = [&](const GpuInfo& gpu) {
    return memory_bytes != 0 ? static_cast<double>(memory_bytes) : static_cast<double>(gpu.memory_bytes) * kUsedPart;
  };
  double least = usable_bytes(gpus.front());
  if (static_cast<double>(input_bytes) * kMemoryOfText <= least) {
    plan.devices = {{gpus.front().id, memory_bytes}};
  } else if (gpus.size() == 1) {
    least /= 2;
    plan.devices.assign(2, {gpus.front().id, static_cast<std::size_t>(least)});
  } else {
    for (const GpuInfo& gpu : gpus) {
      plan.devices.push_back({gpu.id, memory_bytes});
      least = std::min(least, usable_bytes(gpu));
    }
  }
  plan.block_bytes = static_cast<std::size_t>(least / kMemoryOfText);
  return static_cast<std::size_t>(least);
}

// Why the lines do not go to the GPU's memory; empty if they may.
std::string obstacle(const LineSortShape& shape) {
  if (shape.has_keys) return "the GPU sorts whole lines only, not keys";
  if (!shape.has_whole_input) return "the input does not stand in files as it is sorted, and could not be read again";
  return {};
}

struct Seconds {
  double on_cpu, on_gpu;
};
bool fits_host(const LineSortShape& shape) {
  return static_cast<double>(shape.input_bytes) * kHostMemoryOfText <= static_cast<double>(shape.memory_bytes);
}

Seconds estimate(const LineSortShape& shape, const LineGpuCosts& costs) {
  const double bytes = static_cast<double>(shape.input_bytes);
  const double thread_second = fits_host(shape) ? costs.cpu_thread_second_per_byte : costs.runs_thread_second_per_byte;
  return {bytes * (costs.cpu_write_second_per_byte + thread_second / static_cast<double>(shape.threads)),
          bytes * (costs.write_second_per_byte + costs.gpu_second_per_byte) + costs.start_seconds};
}

std::string compare(const LineSortShape& shape, const Seconds& seconds) {
  return format("%.1f MB take about %.2f s on %zu threads, and %.2f s with a GPU",
                static_cast<double>(shape.input_bytes) / 1e6, seconds.on_cpu, shape.threads, seconds.on_gpu);
}

// Why a sort that did not ask for a GPU gets none; empty if it may.
std::string reason_against(const LineSortShape& shape, const Seconds& seconds) {
  if (std::string found = obstacle(shape); !found.empty()) return found;
  if (shape.memory_bytes < kLeastMemory) {
    return format("CUDA takes much of a memory of %zu MiB: GPUs are used from %zu MiB on", shape.memory_bytes >> 20,
                  kLeastMemory >> 20);
  }
  return seconds.on_gpu < seconds.on_cpu ? std::string() : compare(shape, seconds);
}

// Refuses what was asked for and cannot be.
void check_wanted(const std::string& what, const LineSortShape& shape, bool is_there, const GpuStatus& status) {
  const char* const remedy = "; choose --sorter auto and --gpu auto to sort on the CPU where it must be";
  if (!is_there) throw UsageError(what + ": there is no such GPU that can be used: " + status.detail + remedy);
  if (shape.memory_bytes >= kLeastMemory) return;
  throw UsageError(what + format(": a GPU needs at least %zu MiB of memory: raise --memory or -S", kLeastMemory >> 20) +
                   remedy);
}

}  // namespace

LineGpuPlan plan_line_gpu(const LineGpuRequest& request, const LineSortShape& shape, const LineGpuCosts& costs,
                          const std::function<GpuStatus()>& find) {
  LineGpuPlan plan;
  const StringSorter* const named = request.sorter == "auto" ? nullptr : find_string_sorter(request.sorter);
  const bool names_gpu_sorter = named != nullptr && named->needs_gpu();
  if (!request.is_allowed && names_gpu_sorter) {
    throw UsageError("--gpu never: " + request.sorter + " needs a GPU; choose --sorter auto or a sorter of the CPU");
  }
  plan.reason = !request.is_allowed ? "--gpu never" : "--sorter " + request.sorter + " sorts on the CPU";
  if (!request.is_allowed || (named != nullptr && !names_gpu_sorter)) return plan;
  const Seconds seconds = estimate(shape, costs);
  const bool is_wanted = names_gpu_sorter || !request.gpus.empty();
  plan.reason = is_wanted ? "asked for" : reason_against(shape, seconds);
  if (!is_wanted && !plan.reason.empty()) return plan;
  const GpuStatus status = find();
  std::vector<GpuInfo> gpus = find_gpus_of(status, request.gpus);
  if (is_wanted) {
    check_wanted(request.gpus.empty() ? "--sorter " + request.sorter : "--gpu", shape, !gpus.empty(), status);
  } else {
    plan.reason = gpus.empty() ? "no GPU can be used: " + status.detail : compare(shape, seconds);
  }
  if (gpus.empty()) return plan;
  // CUDA takes at most half of the memory.
  if (const std::size_t most = std::max<std::size_t>(shape.memory_bytes / 2 / kCudaBytes, 1); gpus.size() > most) {
    gpus.resize(most);
  }
  const std::size_t device_bytes = choose_devices(plan, gpus, request.memory_bytes, shape.input_bytes);
  if (!is_wanted && plan.devices.size() > 1 && fits_host(shape)) {
    LineGpuPlan on_cpu;
    on_cpu.reason = "the text fits the memory of the host, but not that of a GPU, whose runs had to be merged";
    return on_cpu;
  }
  plan.sorter = names_gpu_sorter ? request.sorter : kDefaultSorter;
  const std::size_t buffer = std::min(shape.memory_bytes / kBufferPart, device_bytes / kDevicePart);
  plan.buffer_bytes = std::clamp(buffer, kLeastBuffer, kMostBuffer) / 4096 * 4096;
  const std::size_t contexts = plan.devices.size() > 1 ? gpus.size() : 1;
  plan.host_bytes = contexts * kCudaBytes + (2 * plan.devices.size() + 1) * plan.buffer_bytes;
  const std::string found = is_device_sorter(plan.sorter) ? obstacle(shape) : plan.sorter + " sorts text of the host";
  plan.sorting = found.empty() ? LineSorting::kDevice : LineSorting::kString;
  if (found.empty()) return plan;
  plan.reason += "; text stays in host memory: " + found;
  plan.devices = {{gpus.front().id, 0}};  // blocks are sorted one after another
  plan.host_bytes = kCudaBytes + 3 * plan.buffer_bytes;
  return plan;
}

}  // namespace spillway
