// Grid sizes and shared memory of launches.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "sort/gpu/device/cuda_check.hpp"

namespace spillway {

// Returns count / per_block, rounded up. std::logic_error from 2^31 blocks on, the limit of a grid: 8-byte keys exceed
// device memory long before it.
inline unsigned blocks_for(std::uint64_t count, std::uint64_t per_block) {
  const std::uint64_t blocks = (count + per_block - 1) / per_block;
  if (blocks > 0x7FFFFFFF) throw std::logic_error("a GPU sort was given more keys than a grid has threads for");
  return static_cast<unsigned>(blocks);
}

// Allows a kernel more than 48 KiB of dynamic shared memory. Requires: always the same number for one kernel and GPU,
// because the setting holds for all threads, and another thread may launch at any time.
template <typename Kernel>
void allow_shared_bytes(Kernel kernel, unsigned bytes) {
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

// Returns the most dynamic shared memory of a block of this kernel on the calling thread's current GPU.
template <typename Kernel>
unsigned most_shared_bytes(Kernel kernel) {
  int gpu = 0, most = 0;
  cudaFuncAttributes attributes{};
  cuda_check(cudaGetDevice(&gpu));
  cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu));
  cuda_check(cudaFuncGetAttributes(&attributes, kernel));
  return static_cast<unsigned>(most) - static_cast<unsigned>(attributes.sharedSizeBytes);
}

// Returns how many blocks the calling thread's current GPU runs at once: the grid of kernels that loop over tiles.
template <typename Kernel>
std::uint64_t resident_blocks(Kernel kernel, unsigned threads, unsigned shared_bytes) {
  int gpu = 0, multiprocessors = 0, blocks = 0;
  cuda_check(cudaGetDevice(&gpu));
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, gpu));
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), shared_bytes));
  if (blocks == 0) throw GpuError("a GPU sort needs more shared memory or registers than this GPU has");
  return static_cast<std::uint64_t>(multiprocessors) * static_cast<std::uint64_t>(blocks);
}

}  // namespace spillway
