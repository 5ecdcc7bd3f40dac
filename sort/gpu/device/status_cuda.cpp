#include "sort/gpu/device/status.hpp"

#include <cuda_profiler_api.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "sort/gpu/device/cuda_check.hpp"

namespace spillway {

namespace {

std::string version_text(int version) {
  return version == 0 ? "" : std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

GpuInfo describe(int id) {
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, id));
  GpuInfo gpu;
  gpu.id = id;
  gpu.name = properties.name;
  gpu.major = properties.major;
  gpu.minor = properties.minor;
  gpu.memory_bytes = properties.totalGlobalMem;
  gpu.multiprocessors = properties.multiProcessorCount;
  std::array<char, 32> address{};
  if (cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), id) == cudaSuccess) {
    gpu.pci_address = address.data();
  }
  return gpu;
}

// Translates an error of the first call to the driver into a state and a sentence.
void take_failure(cudaError_t error, GpuStatus& status) {
  switch (error) {
    case cudaErrorNoDevice:
      status.state = GpuState::kNoDevice;
      status.detail =
          "there is an NVIDIA driver, but no GPU that this process may see (CUDA_VISIBLE_DEVICES hides some)";
      return;
    case cudaErrorInsufficientDriver:
      status.state = status.driver_version.empty() ? GpuState::kNoDriver : GpuState::kDriverTooOld;
      status.detail = status.driver_version.empty()
                          ? "there is no NVIDIA driver on this machine"
                          : "the NVIDIA driver knows CUDA " + status.driver_version + ", and this program needs " +
                                status.runtime_version + ": install a newer driver";
      return;
    default:
      status.state = GpuState::kFailed;
      status.detail = std::string("the NVIDIA driver answers ") + cudaGetErrorName(error) + " (" +
                      cudaGetErrorString(error) + "): see nvidia-smi and the kernel's log";
  }
}

void look_at_devices(int count, GpuStatus& status) {
  std::size_t usable = 0;
  for (int id = 0; id < count; ++id) {
    status.gpus.push_back(describe(id));
    if (status.gpus.back().is_usable()) ++usable;
  }
  status.state = usable != 0 ? GpuState::kUsable : count == 0 ? GpuState::kNoDevice : GpuState::kTooOld;
  status.detail = usable != 0  ? std::to_string(usable) + " usable of " + std::to_string(count)
                  : count == 0 ? "there is an NVIDIA driver, but no GPU"
                               : "every GPU here is older than compute capability 7.5";
}

}  // namespace

bool has_gpu_driver() { return access("/dev/nvidiactl", F_OK) == 0; }

bool has_gpu_nodes(const std::vector<int>& ids) {
  if (std::getenv("CUDA_VISIBLE_DEVICES") != nullptr) return false;
  return std::all_of(ids.begin(), ids.end(),
                     [](int id) { return access(("/dev/nvidia" + std::to_string(id)).c_str(), F_OK) == 0; });
}

GpuStatus find_gpus() {
  GpuStatus status;
  int driver = 0, runtime = 0, count = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess) status.driver_version = version_text(driver);
  if (cudaRuntimeGetVersion(&runtime) == cudaSuccess) status.runtime_version = version_text(runtime);
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    cudaGetLastError();
    take_failure(error, status);
    return status;
  }
  try {
    look_at_devices(count, status);
  } catch (const GpuError& failure) {
    status.state = GpuState::kFailed;
    status.detail = failure.what();
  }
  return status;
}

// A GPU that was lost has nothing to destroy.
void end_gpu_use(int gpu) {
  if (cudaSetDevice(gpu) == cudaSuccess) cudaDeviceReset();
}

void begin_gpu_profile() { cuda_check(cudaProfilerStart()); }
void end_gpu_profile() { cuda_check(cudaProfilerStop()); }

std::size_t free_device_bytes(int gpu) {
  std::size_t free = 0, total = 0;
  cuda_check(cudaSetDevice(gpu));
  cuda_check(cudaMemGetInfo(&free, &total));
  return free;
}

}  // namespace spillway
