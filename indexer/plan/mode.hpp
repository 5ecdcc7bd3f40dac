// Which of the four modes a job runs in, and on which GPUs: pure decisions from what was asked and what is there.
#pragma once

#include <string>
#include <vector>

#include "indexer/options/index_options.hpp"
#include "sort/gpu/device/status.hpp"

namespace spillway {

struct ModeChoice {
  IndexMode mode = IndexMode::kCpuPlus;  // never kAuto
  std::string reason;                    // for people
  // Those to use, in the order asked for. None in a CPU mode; none in a GPU mode where none can be used: then blocks
  // are sorted on the CPU, and gpu_failure says why.
  std::vector<GpuInfo> gpus;
  std::string gpu_failure;
  std::string describe() const;
};

// May choose_mode's answer depend on the GPUs that are there? Asking for them is not free.
bool asks_for_gpus(const IndexOptions& options);

// UsageError where mode and sorters contradict each other, where a sorter or a GPU is unknown; GpuError (exit 6) where
// a GPU is required and none can be used.
ModeChoice choose_mode(const IndexOptions& options, const GpuStatus& status);

}  // namespace spillway
