#include "sort/gpu/device/status.hpp"

#include "sort/gpu/device/error.hpp"

namespace spillway {

std::vector<int> usable_gpus() {
  static const GpuStatus status = find_gpus();
  std::vector<int> ids;
  for (const GpuInfo& gpu : status.gpus) {
    if (gpu.is_usable() && status.state == GpuState::kUsable) ids.push_back(gpu.id);
  }
  if (ids.empty()) throw GpuError("no GPU can be used: " + status.detail);
  return ids;
}

int first_usable_gpu() { return usable_gpus().front(); }

}  // namespace spillway
