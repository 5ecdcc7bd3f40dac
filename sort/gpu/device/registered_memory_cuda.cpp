#include "sort/gpu/device/registered_memory.hpp"

#include <algorithm>

#include "sort/gpu/device/cuda_check.hpp"

namespace spillway {

RegisteredMemory::RegisteredMemory(std::span<std::uint8_t> memory, int gpu) {
  cuda_check(cudaSetDevice(gpu));
  const std::size_t skip = -reinterpret_cast<std::uintptr_t>(memory.data()) % kPageBytes;
  pages_ = memory.subspan(std::min(skip, memory.size()));
  pages_ = pages_.first(pages_.size() / kPageBytes * kPageBytes);
  if (pages_.empty()) return;
  is_locked_ = cudaHostRegister(pages_.data(), pages_.size(), cudaHostRegisterPortable) == cudaSuccess;
  if (!is_locked_) cudaGetLastError();
}

RegisteredMemory::~RegisteredMemory() {
  if (is_locked_) cudaHostUnregister(pages_.data());
}

}  // namespace spillway
