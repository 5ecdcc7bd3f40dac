// Every CUDA call goes through cuda_check, and check_launch follows every launch, in all builds.
#pragma once

#include <cuda_runtime.h>

#include <source_location>
#include <string>

#include "sort/gpu/device/error.hpp"

namespace spillway {

// Errors after which this process cannot use CUDA any more.
inline bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorDevicesUnavailable:
      return true;
    default:
      return false;
  }
}

// Throws GpuMemoryError or GpuError with CUDA's name of the error and the place of the call, and clears the error state
// unless the error is sticky.
inline void cuda_check(cudaError_t error, std::source_location place = std::source_location::current()) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  const std::string file(place.file_name());
  const std::string message = std::string("CUDA: ") + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
                              ") at " + file.substr(file.rfind('/') + 1) + ":" + std::to_string(place.line());
  if (error == cudaErrorMemoryAllocation) throw GpuMemoryError(message);
  throw GpuError(message, is_sticky(error));
}

inline void check_launch(std::source_location place = std::source_location::current()) {
  cuda_check(cudaGetLastError(), place);
}

}  // namespace spillway
