#include "sort/gpu/device/arena.hpp"

#include <string>

#include "sort/gpu/device/error.hpp"

namespace spillway {

std::uint8_t* DeviceArena::take_bytes(std::size_t bytes) {
  const std::size_t aligned = device_aligned(bytes);
  if (aligned > bytes_ - used_) {
    throw GpuMemoryError("the GPU arena of " + std::to_string(bytes_) + " bytes has " + std::to_string(bytes_ - used_) +
                         " left, and " + std::to_string(aligned) + " are needed: raise --gpu-memory");
  }
  std::uint8_t* const taken = data_ + used_;
  used_ += aligned;
  return taken;
}

}  // namespace spillway
