// The GPUs of this machine, and whether this program can use them: each obstacle is a state of its own.
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
  std::string detail;                           // for people: the finding and, where one exists, the remedy
  std::string driver_version, runtime_version;  // of CUDA, such as 13.0; empty if unknown
  std::vector<GpuInfo> gpus;                    // including those that are too old
};

// Returns whether the kernel has an NVIDIA driver's device node: then find_gpus() probably finds a GPU, and takes a
// while. One system call. False in a program without CUDA, and where a driver has no such node (WSL 2).
bool has_gpu_driver();
// Returns whether the driver has device nodes for GPUs of these numbers, and nothing gives them other numbers
// (CUDA_VISIBLE_DEVICES). Asks the kernel alone.
bool has_gpu_nodes(const std::vector<int>& ids);

// Asks the driver. Creates no context, so it costs no device memory, but starting the driver takes 0.1 s or more.
// Thread-safe.
GpuStatus find_gpus();

// Returns the ids of the usable GPUs, ascending; asks the driver once a process. GpuError with the reason where there
// is none.
std::vector<int> usable_gpus();
// The first of them, used where none is named.
int first_usable_gpu();

// Returns the device memory of the GPU that is free now. Creates a context if this process has none there, which takes
// about 530 MiB of device memory, 110 MiB of resident memory and 0.3 s. Throws GpuError.
std::size_t free_device_bytes(int gpu);

// Mark what a profiler records that was told to wait for it (ncu --profile-from-start off); nothing happens without
// one.
void begin_gpu_profile();
void end_gpu_profile();

// Destroys this process's context on the GPU, which takes 0.07 s at the end of the process otherwise. Requires: nothing
// in the process uses the GPU, now or later.
void end_gpu_use(int gpu);

}  // namespace spillway
