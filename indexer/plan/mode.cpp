#include "indexer/plan/mode.hpp"

#include <algorithm>

#include "sort/gpu/device/error.hpp"
#include "sort/interface/record_sorter.hpp"
#include "sort/interface/string_sorter.hpp"
#include "sort/sort_plan.hpp"
#include "sort/sorters.hpp"

namespace spillway {

namespace {

enum class Side { kNone, kCpu, kGpu };  // where the sorter of that name sorts

template <typename Sorter>
Side side_of(const Sorter* sorter) {
  return sorter == nullptr ? Side::kNone : sorter->needs_gpu() ? Side::kGpu : Side::kCpu;
}

Side record_side(std::string_view name) {
  return name == kChunkSorterName ? Side::kCpu : side_of(find_record_sorter(name));
}

// Throws UsageError if options ask for a GPU while blocks are to be sorted on the CPU.
void refuse_gpu_options(const IndexOptions& options) {
  const char* const asked = !options.gpu.ids.empty()                 ? "--gpu"
                            : options.gpu.chunks != GpuChunks::kAuto ? "--gpu-chunks"
                            : options.gpu.required                   ? "--require-gpu"
                                                                     : nullptr;
  if (asked == nullptr) return;
  throw UsageError(std::string(asked) + " contradicts sorting on the CPU: give --mode gpu or gpu+, and no CPU sorter");
}

// Returns the mode that the options ask for; kAuto if they leave the choice.
IndexMode asked_mode(const IndexOptions& options) {
  const struct {
    const char* option;
    const std::string& name;
    Side side;
  } sorters[] = {{"--record-sorter", options.record_sorter, record_side(options.record_sorter)},
                 {"--string-sorter", options.string_sorter, side_of(find_string_sorter(options.string_sorter))}};
  IndexMode mode = options.mode;
  for (const auto& sorter : sorters) {
    if (sorter.side == Side::kNone) continue;
    const bool gpu = sorter.side == Side::kGpu;
    if (mode == IndexMode::kAuto) {
      mode = gpu ? IndexMode::kGpuPlus : IndexMode::kCpuPlus;
    } else if (sorts_on_gpu(mode) != gpu) {
      throw UsageError(
          std::string(sorter.option) + " " + sorter.name + " sorts on the " + (gpu ? "GPU" : "CPU") + ", and " +
          (options.mode == IndexMode::kAuto ? "the other sorter does not"
                                            : "--mode " + std::string(index_mode_name(mode)) + " does not") +
          ": choose both from one side, or leave one to the plan");
    }
  }
  const bool asks_for_gpu = options.gpu.required || !options.gpu.ids.empty() || options.gpu.chunks != GpuChunks::kAuto;
  if (mode == IndexMode::kAuto && asks_for_gpu) mode = IndexMode::kGpuPlus;
  if (mode != IndexMode::kAuto && !sorts_on_gpu(mode)) refuse_gpu_options(options);
  return mode;
}

std::string gpu_text(const GpuInfo& gpu) {
  if (gpu.memory_bytes == 0) return gpu.name;  // assumed
  return "GPU " + std::to_string(gpu.id) + " (" + gpu.name + ", " + std::to_string(gpu.memory_bytes >> 20) + " MiB)";
}

// Returns the GPUs of --gpu or, without it, the first usable one; none, and the reason in `failure`, if they cannot be
// used.
std::vector<GpuInfo> take_gpus(const std::vector<int>& ids, const GpuStatus& status, std::string& failure) {
  std::vector<GpuInfo> taken;
  if (status.state != GpuState::kUsable) {
    failure = status.detail;
    return taken;
  }
  const auto usable =
      std::find_if(status.gpus.begin(), status.gpus.end(), [](const auto& gpu) { return gpu.is_usable(); });
  if (ids.empty() && usable != status.gpus.end()) taken.push_back(*usable);
  for (const int id : ids) {
    const auto found =
        std::find_if(status.gpus.begin(), status.gpus.end(), [&](const auto& gpu) { return gpu.id == id; });
    if (found == status.gpus.end()) {
      throw UsageError("--gpu " + std::to_string(id) + ": this machine has " + std::to_string(status.gpus.size()) +
                       " GPUs, numbered from 0 (spillway doctor lists them)");
    }
    if (!found->is_usable()) {
      failure = gpu_text(*found) + " is older than compute capability 7.5";
      return {};
    }
    taken.push_back(*found);
  }
  return taken;
}

// Chooses for `auto`.
ModeChoice choose_faster(const ModeCosts& costs, const std::function<GpuStatus()>& find) {
  ModeChoice choice;
  choice.reason = costs.describe();
  if (!costs.prefers_gpu()) return choice;
  std::string failure;
  choice.gpus = take_gpus({}, find(), failure);
  if (choice.gpus.empty()) {
    choice.reason += "; no GPU can be used: " + failure;
  } else {
    choice.mode = IndexMode::kGpuPlus;
  }
  return choice;
}

}  // namespace

ModeChoice choose_mode(const IndexOptions& options, const std::function<ModeCosts()>& costs,
                       const std::function<GpuStatus()>& find) {
  ModeChoice choice;
  choice.mode = asked_mode(options);
  if (choice.mode == IndexMode::kAuto) return choose_faster(costs(), find);
  const bool by_name = choice.mode == options.mode;
  choice.reason = by_name                     ? "as --mode says"
                  : sorts_on_gpu(choice.mode) ? "a GPU, or a sorter of the GPU, was asked for"
                                              : "a CPU sorter was asked for";
  if (!sorts_on_gpu(choice.mode)) return choice;
  choice.gpus = take_gpus(options.gpu.ids, find(), choice.gpu_failure);
  if (choice.gpus.empty() && options.gpu.required) throw GpuError("--require-gpu: " + choice.gpu_failure);
  return choice;
}

std::string ModeChoice::describe() const {
  std::string text = std::string(index_mode_name(mode)) + " (" + reason + ")";
  for (const GpuInfo& gpu : gpus) text += ", " + gpu_text(gpu);
  if (!gpu_failure.empty()) text += "; blocks will be sorted on the CPU: " + gpu_failure;
  return text;
}

}  // namespace spillway
