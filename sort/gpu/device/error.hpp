// Errors of the GPU side. None of them loses data: every caller keeps a copy on the host, or can make it again from its
// input, and finishes on the CPU.
#pragma once

#include "io/base/error.hpp"

namespace spillway {

// No usable GPU, a failed call, or a lost device (`is_lost`: this process cannot use CUDA any more).
struct GpuError : Error {
  explicit GpuError(const std::string& message, bool lost = false) : Error(ExitCode::kNoGpu, message), is_lost(lost) {}
  bool is_lost;
};

// An allocation of device or pinned memory failed; a smaller request may still succeed.
struct GpuMemoryError : GpuError {
  using GpuError::GpuError;
};

}  // namespace spillway
