// Chooses the mode of a job and its GPUs from the options, the estimated costs of the modes, and the GPUs of the
// machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "indexer/options/index_options.hpp"
#include "indexer/plan/mode_cost.hpp"
#include "sort/gpu/device/status.hpp"

namespace spillway {

struct ModeChoice {
  IndexMode mode = IndexMode::kCpuPlus;  // never kAuto
  std::string reason;                    // for people
  // The GPUs to use, in the order of --gpu. Empty in a CPU mode, and in a GPU mode if no GPU can be used: then the CPU
  // sorts blocks, and gpu_failure holds the reason.
  std::vector<GpuInfo> gpus;
  std::string gpu_failure;
  std::string describe() const;
};

// Calls `costs` only for `auto`, and `find` (find_gpus, which takes 0.1 s or more on a machine with a driver) only if
// the choice depends on it. UsageError if mode and sorters contradict each other or a GPU is unknown; GpuError (exit 6)
// if a GPU is required and none can be used.
ModeChoice choose_mode(const IndexOptions& options, const std::function<ModeCosts()>& costs,
                       const std::function<GpuStatus()>& find);

}  // namespace spillway
