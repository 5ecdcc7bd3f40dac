// Which of the four modes a job runs in, and on which GPUs: from what was asked, what the modes would cost, and what
// GPUs there are.
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
  // The GPUs to use, in the order asked for. None in a CPU mode; none in a GPU mode where none can be used: then blocks
  // are sorted on the CPU, and gpu_failure holds the reason.
  std::vector<GpuInfo> gpus;
  std::string gpu_failure;
  std::string describe() const;
};

// Calls `costs` only for `auto`, and `find` (find_gpus, which takes 0.1 s and more where there is a driver) only where
// the answer can depend on it. UsageError where mode and sorters contradict each other, or where a GPU is unknown;
// GpuError (exit 6) where a GPU is required and none can be used.
ModeChoice choose_mode(const IndexOptions& options, const std::function<ModeCosts()>& costs,
                       const std::function<GpuStatus()>& find);

}  // namespace spillway
