// How many blocks a launch has, and how much shared memory.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "sort/gpu/cuda_check.cuh"

namespace spillway {

// Requires: fewer than 2^31 blocks, the limit of a grid; at 8 bytes a key device memory ends far below it.
inline unsigned blocks_for(std::uint64_t count, std::uint64_t per_block) {
  const std::uint64_t blocks = (count + per_block - 1) / per_block;
  if (blocks > 0x7FFFFFFF) throw std::logic_error("a GPU sort was given more keys than a grid has threads for");
  return static_cast<unsigned>(blocks);
}

// More than 48 KiB of dynamic shared memory must be asked for.
template <typename Kernel>
void allow_shared_bytes(Kernel kernel, unsigned bytes) {
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

// Can a block of this kernel have so much dynamic shared memory on the calling thread's current GPU?
template <typename Kernel>
bool has_shared_bytes(Kernel kernel, unsigned bytes) {
  int gpu = 0, most = 0;
  cudaFuncAttributes attributes{};
  cuda_check(cudaGetDevice(&gpu));
  cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu));
  cuda_check(cudaFuncGetAttributes(&attributes, kernel));
  return attributes.sharedSizeBytes + bytes <= static_cast<std::size_t>(most);
}

// Blocks that the calling thread's current GPU runs at a time: the grid of kernels whose blocks take many tiles each.
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
