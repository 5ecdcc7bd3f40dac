// What goes wrong on the GPU side. None of these loses data: whoever sorts on the GPU keeps the host copy and finishes
// on the CPU.
#pragma once

#include "io/base/error.hpp"

namespace spillway {

// No usable GPU, a call that failed, or a device that was lost (`is_lost`: CUDA is of no more use in this process).
struct GpuError : Error {
  explicit GpuError(const std::string& message, bool lost = false) : Error(ExitCode::kNoGpu, message), is_lost(lost) {}
  bool is_lost;
};

// Device or pinned memory that was not to be had; smaller pieces of work may still succeed.
struct GpuMemoryError : GpuError {
  using GpuError::GpuError;
};

}  // namespace spillway
