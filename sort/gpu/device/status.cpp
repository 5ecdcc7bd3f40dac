#include "sort/gpu/device/status.hpp"

#include "sort/gpu/device/error.hpp"

namespace spillway {

int first_usable_gpu() {
  static const GpuStatus status = find_gpus();
  for (const GpuInfo& gpu : status.gpus) {
    if (gpu.is_usable() && status.state == GpuState::kUsable) return gpu.id;
  }
  throw GpuError("no GPU can be used: " + status.detail);
}

}  // namespace spillway
