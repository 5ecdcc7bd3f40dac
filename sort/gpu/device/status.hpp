// Which GPUs this machine has and whether this program can use them, told apart by cause.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace spillway {

enum class GpuState {
  kUsable,
  kNotBuilt,      // this program was built without CUDA
  kNoDriver,      // no NVIDIA driver
  kDriverTooOld,  // for the CUDA runtime in this program
  kNoDevice,      // a driver, but no device (none there, or none visible)
  kTooOld,        // only devices below compute capability 7.5
  kFailed         // the driver answers with an error
};

struct GpuInfo {
  int id = 0;  // as CUDA numbers them
  std::string name;
  int major = 0, minor = 0;  // compute capability
  std::size_t memory_bytes = 0;
  int multiprocessors = 0;
  std::string pci_address;
  bool is_usable() const { return major > 7 || (major == 7 && minor >= 5); }
};

struct GpuStatus {
  GpuState state = GpuState::kNotBuilt;
  std::string detail;  // a sentence for people: what was found, and the remedy where there is one
  std::string driver_version, runtime_version;  // CUDA's, such as 13.0; empty if unknown
  std::vector<GpuInfo> gpus;                    // all, also those that are too old
};

// Asks the driver; makes no context, so it takes neither device memory nor time worth naming. Thread-safe.
GpuStatus find_gpus();

// Device memory that is free now on that GPU. Makes a context (hundreds of MiB of device memory, about 110 MiB of
// resident memory, 0.3 s) if this process has none there. GpuError where that fails.
std::size_t free_device_bytes(int gpu);

}  // namespace spillway
