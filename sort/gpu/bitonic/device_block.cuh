// A GPU block as the programs of sort/gpu/bitonic/tile.hpp see it: the registers of the calling thread, and shared
// memory.
#pragma once

#include "sort/gpu/bitonic/tile.hpp"

namespace spillway::bitonic {

// The host versions are empty: they exist because the programs are compiled for the host too.
class DeviceBlock {
 public:
  SPILLWAY_HOST_DEVICE explicit DeviceBlock(std::uint64_t* shared) : shared_(shared) {}

  template <typename F>
  SPILLWAY_HOST_DEVICE __forceinline__ void each(F f) {
#ifdef __CUDA_ARCH__
    f(threadIdx.x, keys_);
#endif
  }
  SPILLWAY_HOST_DEVICE __forceinline__ void sync() {
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
  }
  SPILLWAY_HOST_DEVICE __forceinline__ void sync_warp() {
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
  }
  SPILLWAY_HOST_DEVICE __forceinline__ std::uint64_t* shared() { return shared_; }

 private:
  std::uint64_t* shared_;
  ThreadKeys keys_;
};

}  // namespace spillway::bitonic
